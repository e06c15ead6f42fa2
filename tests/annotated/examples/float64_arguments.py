"""Float64 that comes in with the arguments of a launch: by accident in a scalar, on purpose in arrays."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def scaled_by_python(a, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * factor + a[i]  # hit: float64-promotion


@cuda.jit
def scaled_by_numpy(a, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * factor + a[i]  # ok: float64-promotion


@cuda.jit
def wide_throughout(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 0.1 + a[i]  # ok: float64-promotion


@cuda.jit
def drawn_on_the_host(out, shift, factor):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = shift + factor  # hit: float64-promotion


@cuda.jit
def weighted(a, factor, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * factor + weights[i]  # ok: float64-promotion


@cuda.jit
def weighted_as_given(a, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * factor + a[i]  # hit: float64-promotion


@cuda.jit
def exponential_of_an_index(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + math.exp(i)  # hit: float64-promotion


def converted_first(a, factor, weights):
    factor, weights = np.float32(factor), np.float32(weights)
    out = cuda.device_array(1 << 20, dtype=np.float32)
    weighted[4096, 256](np.float32(a), factor, weights, out)
    weighted_as_given[4096, 256](np.float32(a), float(factor), out)
    exponential_of_an_index[4096, 256](np.float32(a), out)


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    wide = cuda.to_device(np.ones(n, dtype=np.float64))
    scaled_by_python[n // 256, 256](a, 0.1, out)
    scaled_by_numpy[n // 256, 256](a, np.float32(0.1), out)
    wide_throughout[n // 256, 256](wide, wide)
    drawn_on_the_host[n // 256, 256](out, np.random.randint(3, 9), np.random.uniform(0.0, 1.0))
