"""Divisions by a parameter that every launch passes an integer to."""

import numpy as np
from numba import cuda


@cuda.jit
def wraps_around(a, out, n):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(100):
            total += a[(i + k) % n]  # hit: integer-division-in-loop
        out[i] = total


@cuda.jit
def through_a_float(a, width):
    i = cuda.grid(1)
    if i < a.size:
        row = int(i / width)  # hit: float-division-index  # ok: float64-promotion
        a[i] = np.float32(row)


@cuda.jit
def wraps_a_float(a, out, period):  # hit: register-step
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(100):  # ok: float64-promotion
            total += a[i] * ((i + k) % period)  # ok: integer-division-in-loop  # hit: float64-promotion
        out[i] = total  # ok: float64-promotion


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    wraps_around[n // 256, 256](a, out, n)
    through_a_float[n // 256, 256](a, 1000)
    wraps_a_float[n // 256, 256](a, out, 2.5)
