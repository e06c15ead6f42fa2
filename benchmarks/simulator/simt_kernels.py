"""Kernels that the SIMT machine is timed with: each a launch at a size, through Numba's host API."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import cuda, float32

TILE = 32
SMALL_TILE = 16


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + tx
    y = cuda.blockIdx.x * 32 + ty
    if x < b.shape[1] and y < b.shape[0]:
        b[y, x] = tile[tx, ty]


@cuda.jit
def transpose_padded(a, b):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + tx
    y = cuda.blockIdx.x * 32 + ty
    if x < b.shape[1] and y < b.shape[0]:
        b[y, x] = tile[tx, ty]


@cuda.jit
def matmul(a, b, c):
    x, y = cuda.grid(2)
    if x < c.shape[1] and y < c.shape[0]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


@cuda.jit
def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((16, 16), float32)
    tile_b = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for i in range(a.shape[1] // 16):
        tile_a[ty, tx] = a[y, i * 16 + tx]
        tile_b[ty, tx] = b[i * 16 + ty, x]
        cuda.syncthreads()
        for j in range(16):
            total += tile_a[ty, j] * tile_b[j, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def reduce(x, out):
    partial = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    partial[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            partial[t] += partial[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, partial[0])


@cuda.jit
def histogram(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(counts, x[i], 1)


@cuda.jit
def collatz(x, out):
    i = cuda.grid(1)
    if i < x.size:
        n = x[i]
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        out[i] = steps


def _saxpy(n: int) -> None:
    x, y = np.ones(n, np.float32), np.ones(n, np.float32)
    saxpy[n // 256, 256](np.float32(2), x, y, np.zeros(n, np.float32))


def _two_dimensional(kernel: Callable[..., object], tile: int) -> Callable[[int], None]:
    def run(n: int) -> None:
        a = np.ones((n, n), np.float32)
        kernel[(n // tile, n // tile), (tile, tile)](a, np.zeros_like(a))

    return run


def _product(kernel: Callable[..., object]) -> Callable[[int], None]:
    def run(n: int) -> None:
        a = np.ones((n, n), np.float32)
        blocks = n // SMALL_TILE
        kernel[(blocks, blocks), (SMALL_TILE, SMALL_TILE)](a, a, np.zeros_like(a))

    return run


def _reduce(n: int) -> None:
    reduce[n // 256, 256](np.ones(n, np.float32), np.zeros(1, np.float32))


def _histogram(n: int) -> None:
    values = np.random.default_rng(1).integers(0, 256, n).astype(np.int32)
    histogram[n // 256, 256](values, np.zeros(256, np.int32))


def _collatz(n: int) -> None:
    collatz[n // 256, 256](np.arange(1, n + 1), np.zeros(n, np.int32))


# Name: the launch, its full size, and one that Numba's simulator manages in seconds.
KERNELS: dict[str, tuple[Callable[[int], None], int, int]] = {
    "saxpy": (_saxpy, 1 << 20, 1 << 12),
    "transpose, tiled": (_two_dimensional(transpose, TILE), 2048, 64),
    "transpose, padded tile": (_two_dimensional(transpose_padded, TILE), 2048, 64),
    "matmul": (_product(matmul), 256, 32),
    "matmul, tiled": (_product(matmul_tiled), 256, 32),
    "block reduction": (_reduce, 1 << 20, 1 << 10),
    "histogram, atomics": (_histogram, 1 << 20, 1 << 12),
    "divergent while loop": (_collatz, 1 << 17, 1 << 10),
}
