"""Gram matrix G = X X^T of a data matrix, tiled."""
import numpy as np
from numba import cuda, float32

TILE = 32


@cuda.jit
def gram(x, g):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE + 1), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    col = cuda.blockIdx.x * TILE + tx
    row = cuda.blockIdx.y * TILE + ty
    n, d = x.shape
    if row >= n or col >= n:
        return
    other = min(cuda.blockIdx.x * TILE + ty, n - 1)
    acc = float32(0.0)
    for k0 in range(0, d, TILE):
        inside = k0 + tx < d
        left[ty, tx] = x[row, k0 + tx] if inside else float32(0.0)
        right[ty, tx] = x[other, k0 + tx] if inside else float32(0.0)
        cuda.syncthreads()
        for k in range(TILE):
            acc += left[ty, k] * right[tx, k]
        cuda.syncthreads()
    g[row, col] = acc


def gram_matrix(x):
    n = x.shape[0]
    d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.float32))
    d_g = cuda.device_array((n, n), dtype=np.float32)
    blocks = -(-n // TILE)
    gram[(blocks, blocks), (TILE, TILE)](d_x, d_g)
    return d_g.copy_to_host()


if __name__ == "__main__":
    features = np.random.default_rng(0).random((6001, 500))
    print(np.abs(gram_matrix(features) - features @ features.T).max())
