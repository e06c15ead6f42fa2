"""Iterative refinement: residual of a band system in double precision."""
import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def tridiagonal_residual(lower, diag, upper, x, b, r):
    for i in range(cuda.grid(1), b.size, cuda.gridsize(1)):
        s = diag[i] * x[i]
        if i > 0:
            s += lower[i] * x[i - 1]
        if i < b.size - 1:
            s += upper[i] * x[i + 1]
        r[i] = b[i] - s


def residual_norm(lower, diag, upper, x, b):
    """All arguments are float64 host arrays; the residual of a converged x is near 1e-12."""
    d_lower, d_diag, d_upper = (cuda.to_device(v) for v in (lower, diag, upper))
    d_x = cuda.to_device(x.astype(np.float32))  # fault: precision_loss
    d_b = cuda.to_device(b)
    r = cp.empty(b.size, dtype=cp.float64)
    tridiagonal_residual[1024, 256](d_lower, d_diag, d_upper, d_x, d_b, r)
    return float(cp.linalg.norm(r))


if __name__ == "__main__":
    n = 6_000_000
    x = np.random.rand(n)
    off = np.full(n, -1.0)
    diag = np.full(n, 4.0)
    b = diag * x
    b[1:] += off[1:] * x[:-1]
    b[:-1] += off[:-1] * x[1:]
    print(residual_norm(off, diag, off, x, b))
