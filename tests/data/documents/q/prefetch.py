"""Tiles through shared memory, each loaded only when the one before has been used up."""

import numpy as np
from numba import cuda, float32

TILE = 32


@cuda.jit
def product(a, b, out):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    col, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], TILE):  # hit: tile-not-fetched-ahead
        left[ty, tx] = a[row, start + tx]
        right[ty, tx] = b[start + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    out[row, col] = total


def workload():
    a = cuda.to_device(np.ones((256, 256), dtype=np.float32))
    out = cuda.device_array((256, 256), dtype=np.float32)
    product[(8, 8), (TILE, TILE)](a, a, out)
    return out.copy_to_host()
