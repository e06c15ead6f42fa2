"""Shared arrays that are indexed by the place in the grid, though each block has its own."""

import numpy as np
from numba import cuda, float32

ROWS = 1280


@cuda.jit
def doubled_by_grid(x, out):
    part = cuda.shared.array(256, float32)
    i = cuda.grid(1)
    if i < x.size:
        part[i] = x[i]  # hit: shared-index-of-grid
    cuda.syncthreads()
    if i < x.size:
        out[i] = part[i] * 2  # hit: shared-index-of-grid


@cuda.jit
def all_rows_from_one_block(x, out):
    table = cuda.shared.array((ROWS, 3), float32)
    first = cuda.blockIdx.x * cuda.blockDim.x
    t = cuda.threadIdx.x
    if first + t < out.size:
        for j in range(3):
            table[first + t, j] = x[first + t, j]  # hit: shared-index-of-grid
    cuda.syncthreads()
    total = float32(0)
    for j in range(ROWS):
        total += table[j, 0]
    if first + t < out.size:
        out[first + t] = total


@cuda.jit
def doubled_by_block(x, out):
    part = cuda.shared.array(256, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < x.size:
        part[t] = x[i]  # ok: shared-index-of-grid
    cuda.syncthreads()
    if i < x.size:
        out[i] = part[t] * 2


@cuda.jit
def place_taken_back(x, out):
    part = cuda.shared.array(256, float32)
    first = cuda.blockIdx.x * cuda.blockDim.x
    i = cuda.grid(1)
    part[i - first] = x[i]  # ok: shared-index-of-grid
    cuda.syncthreads()
    out[i] = part[255 - (i - first)]


@cuda.jit
def remainder_of_the_place(x, out):
    part = cuda.shared.array(256, float32)
    i = cuda.grid(1)
    part[i % 256] = x[i]  # ok: shared-index-of-grid
    cuda.syncthreads()
    out[i] = part[(i + 1) % 256]


@cuda.jit
def in_one_block(x, out):
    part = cuda.shared.array(256, float32)
    i = cuda.grid(1)
    part[i] = x[i]  # ok: shared-index-of-grid
    cuda.syncthreads()
    out[i] = part[255 - i]


def main():
    x = cuda.to_device(np.ones(1 << 20, np.float32))
    out = cuda.device_array_like(x)
    rows = cuda.to_device(np.ones((ROWS, 3), np.float32))
    for kernel in (doubled_by_grid, doubled_by_block, place_taken_back, remainder_of_the_place):
        kernel[4096, 256](x, out)
    all_rows_from_one_block[5, 256](rows, cuda.device_array(ROWS, np.float32))
    few = cuda.to_device(np.ones(256, np.float32))
    in_one_block[1, 256](few, cuda.device_array_like(few))
