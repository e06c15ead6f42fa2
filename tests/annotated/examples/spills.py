"""Kernels with more values alive than the registers they are given."""

import numpy as np
from numba import cuda, float32

VALUES = 48


@cuda.jit(max_registers=32)
def held_to_few_registers(a, out):  # hit: register-spills
    t = cuda.threadIdx.x
    values = cuda.local.array(VALUES, float32)
    if t < a.shape[1]:
        for k in range(VALUES):
            values[k] = a[k, t]  # hit: register-peak-at-line
        for k in range(VALUES):
            out[cuda.blockIdx.x, k, t] = values[k] * values[VALUES - 1 - k] + values[(k * 7) % VALUES]


@cuda.jit
def as_many_as_it_needs(a, out):  # ok: register-spills
    t = cuda.threadIdx.x
    values = cuda.local.array(VALUES, float32)
    if t < a.shape[1]:
        for k in range(VALUES):
            values[k] = a[k, t]  # ok: register-peak-at-line
        for k in range(VALUES):
            out[cuda.blockIdx.x, k, t] = values[k] * values[VALUES - 1 - k] + values[(k * 7) % VALUES]


@cuda.jit(max_registers=32)
def few_are_enough(a, out):  # ok: register-spills
    t = cuda.threadIdx.x
    if t < a.shape[1]:
        out[cuda.blockIdx.x, 0, t] = a[0, t]


def main():
    n = 4096
    a = cuda.to_device(np.ones((n, 128), dtype=np.float32))
    cube = cuda.device_array((n, VALUES, 128), dtype=np.float32)
    held_to_few_registers[n, 128](a, cube)
    as_many_as_it_needs[n, 128](a, cube)
    few_are_enough[n, 128](a, cube)
