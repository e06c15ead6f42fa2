"""Tiles in shared memory: fetched ahead or not, read one by one or in whole vectors; constant tables."""

import numpy as np
from numba import cuda, float32

SIDE = 32
PADDED = SIDE + 1
TAPS = np.array([0.0625, 0.25, 0.375, 0.25, 0.0625], dtype=np.float32)
WINDOW = np.arange(SIDE, dtype=np.float32)


@cuda.jit
def tile_after_tile(a, b, out):
    left = cuda.shared.array((SIDE, SIDE), float32)
    right = cuda.shared.array((SIDE, SIDE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range(a.shape[1] // SIDE):  # hit: tile-not-fetched-ahead, last-tile-left-out
        left[ty, tx] = a[y, tile * SIDE + tx]  # hit: unchecked-index
        value = b[tile * SIDE + ty, x]  # hit: unchecked-index
        right[ty, tx] = value
        cuda.syncthreads()
        for k in range(SIDE):  # ok: tile-not-fetched-ahead
            total += left[ty, k] * right[k, tx]  # hit: shared-array-without-alignment
        cuda.syncthreads()
    out[y, x] = total  # hit: unchecked-index


@cuda.jit
def tile_fetched_ahead(a, b, out):
    left = cuda.shared.array((SIDE, SIDE), float32, alignment=16)
    right = cuda.shared.array((SIDE, SIDE), float32, alignment=16)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    tiles = a.shape[1] // SIDE
    mine, other = a[y, tx], b[ty, x]  # hit: unchecked-index
    for tile in range(tiles):  # ok: tile-not-fetched-ahead
        left[ty, tx] = mine
        right[ty, tx] = other
        cuda.syncthreads()
        if tile + 1 < tiles:
            mine = a[y, (tile + 1) * SIDE + tx]  # hit: unchecked-index
            other = b[(tile + 1) * SIDE + ty, x]  # hit: unchecked-index
        for k in range(SIDE):
            total += left[ty, k] * right[k, tx]  # ok: shared-array-without-alignment
        cuda.syncthreads()
    out[y, x] = total  # hit: unchecked-index


@cuda.jit
def padded_rows(a, out):
    tile = cuda.shared.array((SIDE, PADDED), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[y, x]  # hit: unchecked-index
    cuda.syncthreads()
    total = float32(0)
    for k in range(SIDE):  # ok: tile-not-fetched-ahead
        total += tile[tx, k]  # ok: shared-array-without-alignment
    out[y, x] = total  # hit: unchecked-index


@cuda.jit
def columns_of_a_tile(a, out):
    tile = cuda.shared.array((SIDE, SIDE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[y, x]  # hit: unchecked-index
    cuda.syncthreads()
    total = float32(0)
    for k in range(SIDE):
        total += tile[k, tx]  # ok: shared-array-without-alignment
    out[y, x] = total  # hit: unchecked-index


@cuda.jit
def filtered(a, out):
    taps = cuda.const.array_like(TAPS)
    i = cuda.grid(1)
    if i < out.size - TAPS.size:
        total = float32(0)
        for k in range(TAPS.size):
            total += a[i + k] * taps[k]  # ok: constant-array-by-lane
        out[i] = total


@cuda.jit
def windowed(a, out):
    window = cuda.const.array_like(WINDOW)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * window[cuda.threadIdx.x % SIDE]  # hit: constant-array-by-lane


def launches(n):
    a = cuda.to_device(np.zeros((n, n), np.float32))
    out = cuda.to_device(np.zeros((n, n), np.float32))
    grid = (n // SIDE, n // SIDE)
    tile_after_tile[grid, (SIDE, SIDE)](a, a, out)
    tile_fetched_ahead[grid, (SIDE, SIDE)](a, a, out)
    padded_rows[grid, (SIDE, SIDE)](a, out)
    columns_of_a_tile[grid, (SIDE, SIDE)](a, out)
