"""Loops over tiles of a matrix that end where the matrix does, and those that end where the grid does."""

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def product_for_square_grids(a, b, c):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range(cuda.gridDim.x):  # hit: loop-ends-with-grid
        left[y, x] = right[y, x] = 0
        if row < a.shape[0] and x + tile * TILE < a.shape[1]:
            left[y, x] = a[row, x + tile * TILE]
        if column < b.shape[1] and y + tile * TILE < b.shape[0]:
            right[y, x] = b[y + tile * TILE, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def product(a, b, c):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range((a.shape[1] + TILE - 1) // TILE):  # ok: loop-ends-with-grid
        left[y, x] = right[y, x] = 0
        if row < a.shape[0] and x + tile * TILE < a.shape[1]:
            left[y, x] = a[row, x + tile * TILE]
        if column < b.shape[1] and y + tile * TILE < b.shape[0]:
            right[y, x] = b[y + tile * TILE, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def sum_of_parts(parts, sums):
    i = cuda.threadIdx.x
    total = float32(0)
    # A part of each block, as many as the grid has.
    for block in range(cuda.gridDim.x):  # ok: loop-ends-with-grid
        total += parts[block, i]
    sums[cuda.blockIdx.x, i] = total


@cuda.jit
def doubled(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):  # ok: loop-ends-with-grid
        a[i] *= np.float32(2)
