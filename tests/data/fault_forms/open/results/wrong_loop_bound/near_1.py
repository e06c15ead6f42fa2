# near: wrong_loop_bound
"""Rectangular tiled product: (M, K) by (K, N), all multiples of the tile."""
import cupy as cp
import numpy as np
from numba import cuda, float32

TILE = 32


@cuda.jit
def tiled_matmul(a, b, c):
    sa = cuda.shared.array((TILE, TILE), float32)
    sb = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    total = float32(0.0)
    for tile in range(a.shape[1] // TILE):
        sa[ty, tx] = a[y, tile * TILE + tx]
        sb[ty, tx] = b[tile * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[y, x] = total


def project(features, basis):
    m, k = features.shape
    n = basis.shape[1]
    assert m % TILE == 0 and k % TILE == 0 and n % TILE == 0
    out = cp.empty((m, n), dtype=cp.float32)
    tiled_matmul[(n // TILE, m // TILE), (TILE, TILE)](features, basis, out)
    return out


if __name__ == "__main__":
    feats = cp.random.rand(16384, 2048, dtype=np.float32)
    basis = cp.random.rand(2048, 512, dtype=np.float32)
    print(float(project(feats, basis)[0, 0]))
