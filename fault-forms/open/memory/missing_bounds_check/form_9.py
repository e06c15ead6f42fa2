"""Matrix product with shared-memory tiles for arbitrary shapes."""
import numpy as np
from numba import cuda, float32

TPB = 32


@cuda.jit
def fast_matmul(A, B, C):
    sA = cuda.shared.array((TPB, TPB), dtype=float32)
    sB = cuda.shared.array((TPB, TPB), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    n_tiles = (A.shape[1] + TPB - 1) // TPB

    acc = float32(0.0)
    for t in range(n_tiles):
        sA[ty, tx] = A[y, t * TPB + tx]
        sB[ty, tx] = B[t * TPB + ty, x]
        cuda.syncthreads()
        for k in range(TPB):
            acc += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = acc


def matmul(a, b):
    rows, cols = a.shape[0], b.shape[1]
    d_c = cuda.device_array((rows, cols), dtype=np.float32)
    grid = ((cols + TPB - 1) // TPB, (rows + TPB - 1) // TPB)
    fast_matmul[grid, (TPB, TPB)](cuda.to_device(a), cuda.to_device(b), d_c)
    return d_c.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.random((2500, 1200), dtype=np.float32)
    y = rng.random((1200, 3100), dtype=np.float32)
    print(np.abs(matmul(x, y) - x @ y).max())
