"""Tiled matrix product for the linear-algebra lecture."""
import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def matmul_tiled(A, B, C):
    sA = cuda.shared.array((TILE, TILE), dtype=float32)
    sB = cuda.shared.array((TILE, TILE), dtype=float32)
    i, j = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for t in range((A.shape[1] + TILE - 1) // TILE):
        ka = t * TILE + ty
        kb = t * TILE + tx
        sA[tx, ty] = A[i, ka] if i < A.shape[0] and ka < A.shape[1] else float32(0.0)  # fault: index_order_transposed
        sB[tx, ty] = B[kb, j] if kb < B.shape[0] and j < B.shape[1] else float32(0.0)  # fault: index_order_transposed
        cuda.syncthreads()
        for k in range(TILE):
            acc += sA[tx, k] * sB[k, ty]
        cuda.syncthreads()
    if i < C.shape[0] and j < C.shape[1]:
        C[i, j] = acc  # fault: index_order_transposed


def matmul(a, b):
    c = cuda.device_array((a.shape[0], b.shape[1]), dtype=np.float32)
    blocks = ((a.shape[0] + TILE - 1) // TILE, (b.shape[1] + TILE - 1) // TILE)
    matmul_tiled[blocks, (TILE, TILE)](a, b, c)
    return c


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    a = rng.random((3000, 2500), dtype=np.float32)
    b = rng.random((2500, 4100), dtype=np.float32)
    c = matmul(cuda.to_device(a), cuda.to_device(b)).copy_to_host()
    print(np.abs(c - a @ b).max())
