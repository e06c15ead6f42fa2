"""The kernels of published measurements, as Numba kernels with their launches at the published sizes.

`WORKLOADS` has a function for each set of kernels; it gives (kernel, grid, block, arguments) by the names
that the data files use. Written again from their descriptions; no code of the sources is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, float32

Launched = tuple[Any, Any, Any, tuple[Any, ...]]


@cuda.jit
def copy_rows(source, target):
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    for j in range(0, 32, 8):
        target[y + j, x] = source[y + j, x]


@cuda.jit
def copy_rows_shared(source, target):
    tile = cuda.shared.array((32, 32), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x = cuda.blockIdx.x * 32 + tx
    y = cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        tile[ty + j, tx] = source[y + j, x]
    cuda.syncthreads()
    for j in range(0, 32, 8):
        target[y + j, x] = tile[ty + j, tx]


@cuda.jit
def transpose_rows_naive(source, target):
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    for j in range(0, 32, 8):
        target[x, y + j] = source[y + j, x]


def _transpose_rows(width: int) -> Any:
    @cuda.jit
    def transpose_rows_tile(source, target):
        tile = cuda.shared.array((32, width), float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x = cuda.blockIdx.x * 32 + tx
        y = cuda.blockIdx.y * 32 + ty
        for j in range(0, 32, 8):
            tile[ty + j, tx] = source[y + j, x]
        cuda.syncthreads()
        x = cuda.blockIdx.y * 32 + tx
        y = cuda.blockIdx.x * 32 + ty
        for j in range(0, 32, 8):
            target[y + j, x] = tile[tx, ty + j]

    return transpose_rows_tile


def transposes_of_rows() -> dict[str, Launched]:
    """Block (32, 8), four elements a thread, 1024 x 1024."""
    arrays = _matrices(1024)
    kernels = {
        "copy": copy_rows, "copy_shared": copy_rows_shared, "naive": transpose_rows_naive,
        "tile": _transpose_rows(32), "tile_padded": _transpose_rows(33),
    }  # fmt: skip
    return {name: (kernel, (32, 32), (32, 8), arrays) for name, kernel in kernels.items()}


@cuda.jit
def copy_element(source, target):
    x, y = cuda.grid(2)
    target[y, x] = source[y, x]


@cuda.jit
def transpose_reading_rows(source, target):
    x, y = cuda.grid(2)
    target[x, y] = source[y, x]


@cuda.jit
def transpose_writing_rows(source, target):
    x, y = cuda.grid(2)
    target[y, x] = source[x, y]


def _copy_tile(side: int) -> Any:
    @cuda.jit
    def copy_tile(source, target):
        tile = cuda.shared.array((side, side), float32)
        x, y = cuda.grid(2)
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = source[y, x]
        cuda.syncthreads()
        target[y, x] = tile[cuda.threadIdx.y, cuda.threadIdx.x]

    return copy_tile


def _transpose_tile(side: int, width: int) -> Any:
    @cuda.jit
    def transpose_tile(source, target):
        tile = cuda.shared.array((side, width), float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x, y = cuda.grid(2)
        tile[ty, tx] = source[y, x]
        cuda.syncthreads()
        target[cuda.blockIdx.x * side + ty, cuda.blockIdx.y * side + tx] = tile[tx, ty]

    return transpose_tile


def transposes_of_tiles() -> dict[str, Launched]:
    """Block (16, 16), one element a thread, 1024 x 1024."""
    arrays = _matrices(1024)
    kernels = {
        "simple_copy": copy_element, "shared_copy": _copy_tile(16), "naive": transpose_reading_rows,
        "coalesced": _transpose_tile(16, 16), "optimized": _transpose_tile(16, 17),
    }  # fmt: skip
    return {name: (kernel, (64, 64), (16, 16), arrays) for name, kernel in kernels.items()}


def transposes_of_12800() -> dict[str, Launched]:
    """Block (32, 32), one element a thread, 12800 x 12800."""
    arrays = _matrices(12800)
    kernels = {
        "write_coalesced": transpose_writing_rows, "read_coalesced": transpose_reading_rows,
        "both_coalesced": _transpose_tile(32, 33),
    }  # fmt: skip
    return {name: (kernel, (400, 400), (32, 32), arrays) for name, kernel in kernels.items()}


@cuda.jit(fastmath=True)
def product_of_rows(a, b, c, n):
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    if x < n and y < n:
        total = float32(0.0)
        for k in range(n):
            total += a[x * n + k] * b[k * n + y]
        c[x * n + y] = total


@cuda.jit(fastmath=True)
def product_of_columns(a, b, c, n):
    x = cuda.blockIdx.x * 32 + (cuda.threadIdx.x >> 5)
    y = cuda.blockIdx.y * 32 + (cuda.threadIdx.x & 31)
    if x < n and y < n:
        total = float32(0.0)
        for k in range(n):
            total += a[x * n + k] * b[k * n + y]
        c[x * n + y] = total


@cuda.jit(fastmath=True)
def product_of_tiles(a, b, c, n):
    first = cuda.shared.array(1024, float32)
    second = cuda.shared.array(1024, float32)
    row, column = cuda.threadIdx.x >> 5, cuda.threadIdx.x & 31
    x, y = cuda.blockIdx.x * 32 + row, cuda.blockIdx.y * 32 + column
    total = float32(0.0)
    for k in range(0, n, 32):
        first[row * 32 + column] = a[x * n + k + column]
        second[row * 32 + column] = b[(k + row) * n + y]
        cuda.syncthreads()
        for j in range(32):
            total += first[row * 32 + j] * second[j * 32 + column]
        cuda.syncthreads()
    c[x * n + y] = total


@cuda.jit(fastmath=True)
def product_of_tiles_1d(a, b, c, n):
    first = cuda.shared.array(512, float32)
    second = cuda.shared.array(512, float32)
    sums = cuda.local.array(8, float32)
    t = cuda.threadIdx.x
    row, column = t >> 6, t & 63
    a_row, a_column = t >> 3, t & 7
    x, y = cuda.blockIdx.y * 64, cuda.blockIdx.x * 64
    for r in range(8):
        sums[r] = float32(0.0)
    for k in range(0, n, 8):
        first[a_row * 8 + a_column] = a[(x + a_row) * n + k + a_column]
        second[row * 64 + column] = b[(k + row) * n + y + column]
        cuda.syncthreads()
        for j in range(8):
            held = second[j * 64 + column]
            for r in range(8):
                sums[r] += first[(row * 8 + r) * 8 + j] * held
        cuda.syncthreads()
    for r in range(8):
        c[(x + row * 8 + r) * n + y + column] = sums[r]


@cuda.jit(fastmath=True)
def product_of_tiles_2d(a, b, c, n):
    first = cuda.shared.array(1024, float32)
    second = cuda.shared.array(1024, float32)
    sums = cuda.local.array((8, 8), float32)
    left = cuda.local.array(8, float32)
    right = cuda.local.array(8, float32)
    t = cuda.threadIdx.x
    row, column = t >> 4, t & 15
    a_row, a_column = t >> 3, t & 7
    b_row, b_column = t >> 7, t & 127
    x, y = cuda.blockIdx.y * 128, cuda.blockIdx.x * 128
    for r in range(8):
        for s in range(8):
            sums[r, s] = float32(0.0)
    for k in range(0, n, 8):
        for j in range(0, 128, 32):
            first[(a_row + j) * 8 + a_column] = a[(x + a_row + j) * n + k + a_column]
        for j in range(0, 8, 2):
            second[(b_row + j) * 128 + b_column] = b[(k + b_row + j) * n + y + b_column]
        cuda.syncthreads()
        for j in range(8):
            for r in range(8):
                left[r] = first[(row * 8 + r) * 8 + j]
            for s in range(8):
                right[s] = second[j * 128 + column * 8 + s]
            for r in range(8):
                for s in range(8):
                    sums[r, s] += left[r] * right[s]
        cuda.syncthreads()
    for r in range(8):
        for s in range(8):
            c[(x + row * 8 + r) * n + y + column * 8 + s] = sums[r, s]


def _products(n: int, names: dict[str, str]) -> dict[str, Launched]:
    arrays = (*(_filled(n * n) for _ in range(3)), n)
    square = (n // 32, n // 32)
    every: dict[str, Launched] = {
        "naive": (product_of_rows, square, (32, 32), arrays),
        "coalesced": (product_of_columns, square, 1024, arrays),
        "shared_tile": (product_of_tiles, square, 1024, arrays),
        "tile_1d": (product_of_tiles_1d, (n // 64, n // 64), 512, arrays),
        "tile_2d": (product_of_tiles_2d, (n // 128, n // 128), 256, arrays),
    }
    return {name: every[kernel] for name, kernel in names.items()}


def products_of_4096() -> dict[str, Launched]:
    """Five steps of a product of 4096 x 4096 matrices."""
    return _products(4096, {one: one for one in ("naive", "coalesced", "shared_tile", "tile_1d", "tile_2d")})


def products_v00() -> dict[str, Launched]:
    """The same by other names."""
    names = ("naive", "coalesced", "shared_tile", "tile_1d", "tile_2d")
    return _products(4096, {f"v0{number}": one for number, one in enumerate(names)})


def products_of_6144() -> dict[str, Launched]:
    """Four steps of a product of 6144 x 6144 matrices, the first one coalesced."""
    names = ("coalesced", "shared_tile", "tile_1d", "tile_2d")
    return _products(6144, {f"k{number}": one for number, one in enumerate(names, 1)})


@cuda.jit
def add_one(a, stride, offset):
    i = cuda.grid(1) * stride + offset
    a[i] += float32(1.0)


def strides_and_offsets() -> dict[str, Launched]:
    """a[i * stride + offset] += 1 by 2**20 threads in blocks of 256."""
    count = 1 << 20
    found: dict[str, Launched] = {}
    for stride in (1, 2, 3):
        found[f"stride_{stride}"] = (add_one, count // 256, 256, (_filled(count * stride + 8), stride, 0))
    for offset in range(4):
        found[f"offset_{offset}"] = (add_one, count // 256, 256, (_filled(count + 8), 1, offset))
    return found


def _reduction(way: str, threads: int, kind: Any) -> Any:
    @cuda.jit
    def interleaved_divergent(source, target):
        tile = cuda.shared.array(threads, kind)
        t = cuda.threadIdx.x
        tile[t] = source[cuda.grid(1)]
        cuda.syncthreads()
        s = 1
        while s < cuda.blockDim.x:
            if t % (2 * s) == 0:
                tile[t] += tile[t + s]
            cuda.syncthreads()
            s *= 2
        if t == 0:
            target[cuda.blockIdx.x] = tile[0]

    @cuda.jit
    def interleaved_conflicts(source, target):
        tile = cuda.shared.array(threads, kind)
        t = cuda.threadIdx.x
        tile[t] = source[cuda.grid(1)]
        cuda.syncthreads()
        s = 1
        while s < cuda.blockDim.x:
            at = 2 * s * t
            if at < cuda.blockDim.x:
                tile[at] += tile[at + s]
            cuda.syncthreads()
            s *= 2
        if t == 0:
            target[cuda.blockIdx.x] = tile[0]

    @cuda.jit
    def sequential(source, target):
        tile = cuda.shared.array(threads, kind)
        t = cuda.threadIdx.x
        tile[t] = source[cuda.grid(1)]
        cuda.syncthreads()
        s = cuda.blockDim.x // 2
        while s > 0:
            if t < s:
                tile[t] += tile[t + s]
            cuda.syncthreads()
            s //= 2
        if t == 0:
            target[cuda.blockIdx.x] = tile[0]

    @cuda.jit
    def two_elements(source, target):
        tile = cuda.shared.array(threads, kind)
        t = cuda.threadIdx.x
        i = cuda.blockIdx.x * (cuda.blockDim.x * 2) + t
        tile[t] = source[i] + source[i + cuda.blockDim.x]
        cuda.syncthreads()
        s = cuda.blockDim.x // 2
        while s > 0:
            if t < s:
                tile[t] += tile[t + s]
            cuda.syncthreads()
            s //= 2
        if t == 0:
            target[cuda.blockIdx.x] = tile[0]

    @cuda.jit
    def many_elements(source, target, each):
        tile = cuda.shared.array(threads, kind)
        t = cuda.threadIdx.x
        i = cuda.blockIdx.x * (cuda.blockDim.x * each) + t
        total = kind(0)
        for k in range(each):
            total += source[i + k * cuda.blockDim.x]
        tile[t] = total
        cuda.syncthreads()
        s = cuda.blockDim.x // 2
        while s > 0:
            if t < s:
                tile[t] += tile[t + s]
            cuda.syncthreads()
            s //= 2
        if t == 0:
            target[cuda.blockIdx.x] = tile[0]

    return {
        "divergent": interleaved_divergent, "conflicts": interleaved_conflicts, "sequential": sequential,
        "two": two_elements, "many": many_elements,
    }[way]  # fmt: skip


def _reductions(
    count: int, threads: int, names: dict[str, str], kind: Any, dtype: str
) -> dict[str, Launched]:
    source, target = _filled(count, dtype), _filled(count // threads, dtype)
    found: dict[str, Launched] = {}
    for name, way in names.items():
        blocks, more = count // threads, ()
        if way == "two":
            blocks //= 2
        elif way == "many":
            blocks, more = 1024, (count // threads // 1024,)
        found[name] = (_reduction(way, threads, kind), blocks, threads, (source, target, *more))
    return found


def reductions_of_floats() -> dict[str, Launched]:
    """Sums of 2**25 float32 in blocks of 256, one partial sum for each block."""
    names = {"v0": "divergent", "v1": "conflicts", "v2": "sequential", "v3": "two", "v6": "many"}
    return _reductions(1 << 25, 256, names, float32, "float32")


def reductions_of_integers() -> dict[str, Launched]:
    """Sums of 2**26 uint32 in blocks of 512; the first of their launches."""
    from numba import uint32

    names = {"r1": "divergent", "r2": "conflicts", "r3": "sequential", "r4": "two"}
    return _reductions(1 << 26, 512, names, uint32, "uint32")


@cuda.jit
def add_by_column(a, b, c):
    column, row = cuda.grid(2)
    c[row, column] = a[row, column] + b[row, column]


@cuda.jit
def add_by_row(a, b, c):
    row, column = cuda.grid(2)
    c[row, column] = a[row, column] + b[row, column]


def additions() -> dict[str, Launched]:
    """Sums of matrices, block (16, 16), lanes along a row or down a column."""
    found: dict[str, Launched] = {}
    for n in (2048, 8192):
        arrays = tuple(_filled(n * n).reshape(n, n) for _ in range(3))
        found[f"add_coalesced_{n}"] = (add_by_column, (n // 16, n // 16), (16, 16), arrays)
        found[f"add_not_coalesced_{n}"] = (add_by_row, (n // 16, n // 16), (16, 16), arrays)
    return found


def _filled(count: int, dtype: str = "float32") -> Any:
    return cuda.to_device(np.ones(count, dtype))


def _matrices(n: int) -> tuple[Any, Any]:
    return _filled(n * n).reshape(n, n), _filled(n * n).reshape(n, n)


WORKLOADS: dict[str, Callable[[], dict[str, Launched]]] = {
    one.__name__: one
    for one in (
        transposes_of_rows, transposes_of_tiles, transposes_of_12800, products_of_4096, products_v00,
        products_of_6144, strides_and_offsets, reductions_of_floats, reductions_of_integers, additions,
    )
}  # fmt: skip
