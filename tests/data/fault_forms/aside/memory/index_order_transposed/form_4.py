import cupy as cp
import numpy as np
from numba import cuda, float32

TILE = 16
PITCH = TILE + 1


@cuda.jit
def tiled_gemm(A, B, C):
    sA = cuda.shared.array((TILE, TILE), float32)
    sB = cuda.shared.array((TILE, PITCH), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for t in range((A.shape[1] + TILE - 1) // TILE):
        if x < A.shape[0] and t * TILE + ty < A.shape[1]:
            sA[ty, tx] = A[x, t * TILE + ty]  # fault: index_order_transposed
        else:
            sA[ty, tx] = float32(0.0)
        if t * TILE + tx < B.shape[0] and y < B.shape[1]:
            sB[ty, tx] = B[t * TILE + tx, y]  # fault: index_order_transposed
        else:
            sB[ty, tx] = float32(0.0)
        cuda.syncthreads()
        for k in range(TILE):
            acc += sA[k, tx] * sB[ty, k]
        cuda.syncthreads()
    if x < C.shape[0] and y < C.shape[1]:
        C[x, y] = acc  # fault: index_order_transposed


def gemm(a, b):
    m, n = a.shape[0], b.shape[1]
    c = cp.empty((m, n), dtype=cp.float32)
    grid = (-(-m // TILE), -(-n // TILE))
    tiled_gemm[grid, (TILE, TILE)](a, b, c)
    return c


rng = cp.random.default_rng(3)
a = rng.random((2000, 3000), dtype=cp.float32)
b = rng.random((3000, 2500), dtype=cp.float32)
c = gemm(a, b)
print("max deviation", float(cp.abs(c - a @ b).max()))
