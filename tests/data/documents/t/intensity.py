"""The guide's two examples of arithmetic intensity: y = x + 1, and a polynomial of the third degree."""

import numpy as np
from numba import cuda


@cuda.jit
def plus_one(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + np.float32(1)


@cuda.jit(fastmath=False)
def polynomial(x, y, a, b, c, d):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        y[i] = a * (v * v * v) + b * (v * v) + c * v + d


def workload():
    x = cuda.to_device(np.ones(1 << 20, dtype=np.float32))
    y = cuda.device_array_like(x)
    plus_one[4096, 256](x, y)
    polynomial[4096, 256](x, y, np.float32(2), np.float32(3), np.float32(4), np.float32(5))
    return y.copy_to_host()
