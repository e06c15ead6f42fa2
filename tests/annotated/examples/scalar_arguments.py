"""Scalars of NumPy among the arguments of launches: they are no arrays."""

import numpy as np
from numba import cuda


@cuda.jit
def scaled(a, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * factor


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    factor = np.float32(0.5)
    scaled[n // 256, 256](a, factor, out)  # ok: host-array-argument
    scaled[n // 256, 256](a, np.float32(0.5), out)  # ok: host-array-argument
