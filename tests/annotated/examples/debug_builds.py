"""Kernels compiled for the debugger, and kernels that are not."""

import numpy as np
from numba import cuda


@cuda.jit(debug=True, opt=False)
def for_the_debugger(a):  # hit: debug-build
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


@cuda.jit(opt=False)
def without_optimisation(a):  # hit: debug-build
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


@cuda.jit(lineinfo=True)
def with_line_numbers(a):  # ok: debug-build
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


@cuda.jit(debug=False, fastmath=True)
def stated_off(a):  # ok: debug-build
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


@cuda.jit
def plain(a):  # ok: debug-build
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


def main():
    n = 1 << 20
    a = cuda.device_array(n, dtype=np.float32)
    for_the_debugger[n // 256, 256](a)
    without_optimisation[n // 256, 256](a)
    with_line_numbers[n // 256, 256](a)
    stated_off[n // 256, 256](a)
    plain[n // 256, 256](a)
