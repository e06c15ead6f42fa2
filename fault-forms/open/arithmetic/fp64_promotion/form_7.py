"""BLAS-1 style helpers on device vectors in single precision."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def _axpby(a, x, b, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + b * y[i]


@cuda.jit
def _multiply(x, y, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = x[i] * y[i]


def blocks_for(n):
    return (n + THREADS - 1) // THREADS


def axpby(a, x, b, y):
    _axpby[blocks_for(x.size), THREADS](float(a), x, float(b), y)
    return y


def multiply(x, y):
    out = cuda.device_array(x.size, dtype=np.float32)
    _multiply[blocks_for(x.size), THREADS](x, y, out)
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    u = cuda.to_device(rng.random(20_000_000, dtype=np.float32))
    v = cuda.to_device(rng.random(20_000_000, dtype=np.float32))
    for weight in (0.1, 0.3, 0.7):
        axpby(weight, u, 1.0 - weight, v)
    print(multiply(u, v).copy_to_host().sum())
