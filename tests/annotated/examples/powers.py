"""Powers that call the general function, and powers that become multiplications."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def powers(a, p, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        x = a[i]
        out[0, i] = x**0.5  # hit: slow-power, float64-promotion
        out[1, i] = x**2.5  # hit: slow-power, float64-promotion
        out[2, i] = math.pow(x, 1.5)  # hit: slow-power, float64-promotion
        out[3, i] = x**p  # hit: slow-power
        out[4, i] = x**2  # ok: slow-power
        out[5, i] = x**3  # ok: slow-power
        out[6, i] = x * x  # ok: slow-power
        out[7, i] = math.sqrt(x)  # ok: slow-power, float64-promotion
        out[8, i] = x**2.0  # hit: slow-power, float64-promotion
        out[9, i] = pow(x, 3)  # ok: slow-power, float64-promotion


@cuda.jit
def through_logarithm(a, p, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.exp(p * math.log(a[i]))  # ok: slow-power, float64-promotion


@cuda.jit
def norms(a, p, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(64):
            total += a[(i + k) & 1023] ** p  # hit: slow-power
        out[i] = total


@cuda.jit
def norms_of_the_usual_exponents(a, p, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        if p == 2:
            for k in range(64):
                total += a[(i + k) & 1023] ** 2  # ok: slow-power
        else:
            for k in range(64):
                total += abs(a[(i + k) & 1023])  # ok: slow-power
        out[i] = total


@cuda.jit(device=True)
def length(x, y):
    return (x * x + y * y) ** 0.5  # hit: slow-power, float64-promotion


@cuda.jit
def lengths(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = length(x[i], y[i])  # ok: slow-power


@cuda.jit
def complex_roots(z, out):
    i = cuda.grid(1)
    if i < out.size:
        # A square root of the math module takes no complex number.
        w = z[i] ** 0.5  # ok: slow-power
        out[i] = abs(w * 1j + z[i] ** 1.5)  # ok: slow-power
        out[i] += z[i].real ** 0.5  # hit: slow-power


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    table = cuda.device_array((10, n), dtype=np.float32)
    powers[n // 256, 256](a, np.float32(1.5), table)
    through_logarithm[n // 256, 256](a, np.float32(1.5), out)
    norms[n // 256, 256](a, np.float32(1.5), out)
    norms_of_the_usual_exponents[n // 256, 256](a, 2, out)
    lengths[n // 256, 256](a, a, out)
    roots = cuda.device_array(n, dtype=np.float64)
    complex_roots[n // 256, 256](cuda.to_device(np.ones(n, dtype=np.complex128)), roots)
