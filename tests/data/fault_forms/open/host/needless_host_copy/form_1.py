"""Ricker wavelet sampled over a dense axis."""
import math

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def ricker(index, dt, f0, out):
    i = cuda.grid(1)
    if i < out.size:
        t = (index[i] - out.size // 2) * dt
        a = math.pi * f0 * t
        a *= a
        out[i] = (1.0 - a - a) * math.exp(-a)


def main():
    n = 40_000_000
    index = cuda.to_device(np.arange(n))  # fault: needless_host_copy
    out = cuda.device_array(n, dtype=np.float64)
    ricker[(n + THREADS - 1) // THREADS, THREADS](index, 1e-6, 25.0, out)
    np.save("ricker.npy", out.copy_to_host())


if __name__ == "__main__":
    main()
