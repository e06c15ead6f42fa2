"""Loops over tiles of a matrix that end where the matrix does, and those that end where the grid does."""

import numpy as np
from numba import cuda, float32

TILE = 16
PART = 256


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
def product_with_a_guard_of_the_result(a, b, c):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    r, q = min(row, a.shape[0] - 1), min(column, b.shape[1] - 1)
    total = float32(0)
    for tile in range((a.shape[1] + TILE - 1) // TILE):  # ok: last-tile-left-out
        left[y, x] = a[r, x + tile * TILE]  # hit: tile-past-the-end
        k = y + tile * TILE
        right[y, x] = b[k, q] if k < b.shape[0] else float32(0)  # ok: tile-past-the-end
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def sums_of_whole_tiles(a, sums):
    parts = cuda.shared.array(PART, float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    parts[t] = 0
    for tile in range(a.shape[1] // PART):  # hit: last-tile-left-out
        parts[t] += a[row, t + tile * PART]  # ok: tile-past-the-end
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for k in range(PART):
            total += parts[k]
        sums[row] = total


@cuda.jit
def sums_of_all_tiles(a, sums):
    parts = cuda.shared.array(PART, float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    parts[t] = 0
    for k in range(t, a.shape[1], PART):  # ok: last-tile-left-out
        parts[t] += a[row, k]  # ok: tile-past-the-end
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for k in range(PART):
            total += parts[k]
        sums[row] = total


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


@cuda.jit
def nearest_of_as_many_as_threads(points, centroids, labels):
    i = cuda.grid(1)
    if i < labels.size:
        best = 0
        for c in range(cuda.blockDim.x):  # hit: loop-ends-with-launch
            if abs(points[i] - centroids[c]) < abs(points[i] - centroids[best]):
                best = c
        labels[i] = best


@cuda.jit
def nearest_of_all(points, centroids, labels):
    i = cuda.grid(1)
    if i < labels.size:
        best = 0
        for c in range(centroids.size):  # ok: loop-ends-with-launch
            if abs(points[i] - centroids[c]) < abs(points[i] - centroids[best]):
                best = c
        labels[i] = best


def label(n=64_000):
    points = cuda.to_device(np.random.rand(n))
    centroids = cuda.to_device(np.random.rand(96))
    labels = cuda.device_array(n, np.int32)
    nearest_of_as_many_as_threads[(n + 63) // 64, 64](points, centroids, labels)
    nearest_of_all[(n + 63) // 64, 64](points, centroids, labels)
    return labels.copy_to_host()


if __name__ == "__main__":
    label()
