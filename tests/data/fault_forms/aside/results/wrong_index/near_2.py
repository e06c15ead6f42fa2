# near: wrong_index
"""Row-wise scaling of a dense matrix by a diagonal."""
import cupy as cp
from numba import cuda


@cuda.jit
def scale_rows(diag, a, out):
    col, row = cuda.grid(2)
    if row < a.shape[0] and col < a.shape[1]:
        out[row, col] = diag[row] * a[row, col]


def precondition(diag, a):
    out = cp.empty_like(a)
    threads = (64, 4)
    blocks = ((a.shape[1] + 63) // 64, (a.shape[0] + 3) // 4)
    scale_rows[blocks, threads](diag, a, out)
    return out


if __name__ == "__main__":
    n = 6000
    a = cp.random.rand(n, n)
    print(float(precondition(1.0 / cp.diag(a).copy(), a)[0, 0]))
