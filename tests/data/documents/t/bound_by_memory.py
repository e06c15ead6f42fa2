"""The guide's fusion in Numba: Y = exp(X), Z = Y / total, W = Z * scale, each step a kernel of its own."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def exponential(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.exp(x[i])


@cuda.jit
def divide(y, z, total):
    i = cuda.grid(1)
    if i < y.size:
        z[i] = y[i] / total


@cuda.jit
def multiply(z, w, scale):
    i = cuda.grid(1)
    if i < z.size:
        w[i] = z[i] * scale


def workload():
    n = 1 << 18
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    y, z, w = (cuda.device_array(n, dtype=np.float32) for _ in range(3))
    exponential[1024, 256](x, y)
    divide[1024, 256](y, z, np.float32(3))  # hit: fusable-launches
    multiply[1024, 256](z, w, np.float32(2))  # hit: fusable-launches
    return w.copy_to_host()
