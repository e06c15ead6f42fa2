import math

import numpy as np
from numba import cuda, float32

T = 32


@cuda.jit
def pairwise_dot(X, Y, G):
    """G = X @ Y.T for row-major sample matrices."""
    sx = cuda.shared.array((T, T), float32)
    sy = cuda.shared.array((T, T), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    row = cuda.blockIdx.y * T + ty
    col = cuda.blockIdx.x * T + tx
    yrow = cuda.blockIdx.x * T + ty
    acc = float32(0.0)
    for k0 in range(0, X.shape[1], T):
        k = k0 + tx
        sx[ty, tx] = X[row, k] if row < X.shape[0] and k < X.shape[1] else float32(0.0)
        sy[ty, tx] = Y[yrow, k] if yrow < Y.shape[0] and k < Y.shape[1] else float32(0.0)
        cuda.syncthreads()
        for q in range(T):
            acc += sx[ty, q] * sy[tx, q]  # fault: bank_conflict
        cuda.syncthreads()
    if row < G.shape[0] and col < G.shape[1]:
        G[row, col] = acc


def similarity(X, Y):
    X = np.ascontiguousarray(X, dtype=np.float32)
    Y = np.ascontiguousarray(Y, dtype=np.float32)
    d_g = cuda.device_array((X.shape[0], Y.shape[0]), dtype=np.float32)
    grid = (math.ceil(Y.shape[0] / T), math.ceil(X.shape[0] / T))
    pairwise_dot[grid, (T, T)](cuda.to_device(X), cuda.to_device(Y), d_g)
    return d_g.copy_to_host()


if __name__ == "__main__":
    emb = np.load("molecule_embeddings.npy")
    np.save("similarity.npy", similarity(emb, emb))
