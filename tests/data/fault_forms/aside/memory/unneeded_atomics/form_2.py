"""Sparse matrix (ELLPACK, column-major slots) times vector."""
import cupy as cp
from numba import cuda


@cuda.jit
def ell_spmv(values, columns, x, y):
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < y.size:
        for slot in range(values.shape[0]):
            v = values[slot, row]
            if v != 0.0:
                cuda.atomic.add(y, row, v * x[columns[slot, row]])  # fault: unneeded_atomics


def multiply(values, columns, x):
    y = cp.zeros(values.shape[1], dtype=cp.float64)
    threads = 128
    ell_spmv[(y.size + threads - 1) // threads, threads](values, columns, x, y)
    return y


def pagerank(values, columns, damping=0.85, n_iter=60):
    n = values.shape[1]
    rank = cp.full(n, 1.0 / n)
    for _ in range(n_iter):
        rank = damping * multiply(values, columns, rank) + (1.0 - damping) / n
    return rank


if __name__ == "__main__":
    web = cp.load("citations_ell.npz")
    cp.save("rank.npy", pagerank(web["values"], web["columns"]))
