"""A sum of two vectors, for its fingerprint."""

import numpy as np
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def workload():
    x = cuda.to_device(np.ones(100_000, dtype=np.float32))
    out = cuda.device_array_like(x)
    add[391, 256](x, x, out)
    return out.copy_to_host()
