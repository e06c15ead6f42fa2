"""Transposes, convolutions, histograms and divergence, added later."""

from __future__ import annotations

from typing import Any

import numpy as np
from later_streams import add_arrays, reserved
from numba import cuda, float32, int32, uint32
from published_kernels import Launched, _transpose_tile, copy_element, transpose_reading_rows


def _copy_many(each: int) -> Any:
    @cuda.jit
    def copy_many(source, target):
        x = cuda.blockIdx.x * (32 * each) + cuda.threadIdx.x
        y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
        for j in range(each):
            target[y, x + 32 * j] = source[y, x + 32 * j]

    return copy_many


def _transpose_many(each: int) -> Any:
    @cuda.jit
    def transpose_many(source, target):
        x = cuda.blockIdx.x * (32 * each) + cuda.threadIdx.x
        y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
        for j in range(each):
            target[x + 32 * j, y] = source[y, x + 32 * j]

    return transpose_many


def _transpose_wide(each: int) -> Any:
    width = 32 * each + 1

    @cuda.jit
    def transpose_wide(source, target):
        tile = cuda.shared.array((32, width), float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x, y = cuda.blockIdx.x * (32 * each), cuda.blockIdx.y * 32
        for j in range(each):
            tile[ty, tx + 32 * j] = source[y + ty, x + tx + 32 * j]
        cuda.syncthreads()
        for j in range(each):
            target[x + ty + 32 * j, y + tx] = tile[tx, ty + 32 * j]

    return transpose_wide


def transposes_of_8192() -> dict[str, Launched]:
    """Block (32, 32), one, two or four elements a thread along a row."""
    arrays = _square(8192)
    found: dict[str, Launched] = {}
    for name, each, kernel in (
        ("copy", 1, copy_element), ("copy_u4", 4, _copy_many(4)),
        ("naive", 1, transpose_reading_rows), ("naive_u4", 4, _transpose_many(4)),
        ("shared", 1, _transpose_tile(32, 32)), ("shared_pad", 1, _transpose_tile(32, 33)),
        ("shared_pad_u2", 2, _transpose_wide(2)), ("shared_pad_u4", 4, _transpose_wide(4)),
    ):  # fmt: skip
        found[name] = (kernel, (256 // each, 256), (32, 32), arrays)
    return found


def _coarsened(each: int) -> Any:
    step = 32 // each

    @cuda.jit
    def coarsened(source, target):
        tile = cuda.shared.array((32, 33), float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x, y = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
        for j in range(0, 32, step):
            tile[ty + j, tx] = source[y + ty + j, x + tx]
        cuda.syncthreads()
        for j in range(0, 32, step):
            target[x + ty + j, y + tx] = tile[tx, ty + j]

    return coarsened


def coarsened_transposes() -> dict[str, Launched]:
    """Tiles of 32 x 32 with one to eight elements a thread; 8192 x 8192 stand for 32768 x 32768."""
    arrays = _square(8192)
    found: dict[str, Launched] = {
        "naive": (transpose_reading_rows, (256, 256), (32, 32), arrays),
        "tiled": (_transpose_tile(32, 32), (256, 256), (32, 32), arrays),
        "tiled_padded": (_transpose_tile(32, 33), (256, 256), (32, 32), arrays),
    }
    for each in (2, 4, 8):
        found[f"coarsen{each}"] = (_coarsened(each), (256, 256), (32, 32 // each), arrays)
    return found


@cuda.jit
def histogram_global(data, bins, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(bins, data[i], 1)


@cuda.jit
def histogram_shared(data, bins, n):
    held = cuda.shared.array(256, int32)
    for one in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        held[one] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(held, data[i], 1)
    cuda.syncthreads()
    for one in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        if held[one] > 0:
            cuda.atomic.add(bins, one, held[one])


def histograms() -> dict[str, Launched]:
    """256 bins of 2**30 random bytes, 32 blocks of 512 on each of 132 multiprocessors."""
    count = 1 << 30
    some = np.frombuffer(np.random.default_rng(0).bytes(count // 64), np.uint8)
    data = cuda.to_device(np.tile(some, 64))
    arrays = (data, reserved(256, "int32"), count)
    kernels = {"global_atomic": histogram_global, "shared_atomic": histogram_shared}
    return {name: (kernel, 32 * 132, 512, arrays) for name, kernel in kernels.items()}


@cuda.jit
def add_divergent(a, b, c, steps, n):
    i = cuda.grid(1)
    if i < n:
        if i & 1 == 0:
            total = float32(0.0)
            for step in range(steps):
                total += float32(0.0001) * float32(step)
            c[i] = a[i] + b[i] + total
        else:
            c[i] = a[i] + b[i]


@cuda.jit
def copy_strided(a, c, n):
    i = cuda.grid(1) * 8
    if i < n:
        c[i] = a[i]


@cuda.jit
def gather(a, index, b, n):
    i = cuda.grid(1)
    if i < n:
        b[i] = a[index[i]]


@cuda.jit
def sum_two(source, target, n):
    held = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x * 2 + t
    total = float32(0.0)
    if i < n:
        total += source[i]
    if i + cuda.blockDim.x < n:
        total += source[i + cuda.blockDim.x]
    held[t] = total
    cuda.syncthreads()
    step = cuda.blockDim.x >> 1
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        cuda.syncthreads()
        step >>= 1
    if t == 0:
        target[cuda.blockIdx.x] = held[0]


@cuda.jit
def histogram_of_zeros(data, bins, n):
    held = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    held[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(held, data[i] & 255, 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, held[t])


def vector_kernels() -> dict[str, Launched]:
    """2**23 float32 in blocks of 256: sums, strides, a broadcast, divergence, one counter for all lanes."""
    n = 1 << 23
    a, b, c = (reserved(n) for _ in range(3))
    index, data = reserved(n, "int32"), reserved(n, "uint32")
    blocks = n // 256
    found: dict[str, Launched] = {
        "vector_add": (add_arrays, blocks, 256, (a, b, c, n)),
        "strided_copy_8": (copy_strided, blocks // 8, 256, (a, c, n)),
        "random_access": (gather, blocks, 256, (a, index, b, n)),
        "reduce_sum": (sum_two, blocks // 2, 256, (a, reserved(blocks), n)),
        "vector_add_divergent": (add_divergent, blocks, 256, (a, b, c, 128, n)),
        "histogram": (histogram_of_zeros, blocks, 256, (data, reserved(256, "uint32"), n)),
    }
    return {f"{name}_{n}": launched for name, launched in found.items()}


def _convolution(side: int) -> Any:
    @cuda.jit
    def convolution(image, weights, out, height, width):
        x, y = cuda.grid(2)
        if x >= width - side + 1 or y >= height - side + 1:
            return
        total = float32(0.0)
        for dy in range(side):
            for dx in range(side):
                total += image[(y + dy) * width + x + dx] * weights[dy * side + dx]
        out[y * width + x] = total

    return convolution


def convolutions() -> dict[str, Launched]:
    """3 x 3 and 7 x 7 weights in global memory on 3072 x 3072 float32, block (16, 16)."""
    n = 3072
    arrays = (reserved(n * n), reserved(49), reserved(n * n), n, n)
    return {
        f"conv2d_{side}x{side}_{n}": (_convolution(side), (n // 16, n // 16), (16, 16), arrays)
        for side in (3, 7)
    }


def transposes_of_2048() -> dict[str, Launched]:
    """Block (16, 16) down columns, and tiles of 32 x 33."""
    arrays = _square(2048)
    return {
        "naive_transpose_2048": (transpose_reading_rows, (128, 128), (16, 16), arrays),
        "shared_transpose_2048": (_transpose_tile(32, 33), (64, 64), (32, 32), arrays),
    }


def _square(n: int) -> tuple[Any, Any]:
    return reserved(n * n).reshape(n, n), reserved(n * n).reshape(n, n)
