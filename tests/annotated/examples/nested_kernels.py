"""Kernels that a host function makes again at each call, and kernels that are made once."""

from functools import lru_cache

import numpy as np
from numba import cuda


@cuda.jit
def at_the_top(a):  # ok: kernel-defined-in-function
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


def defines_and_launches(n):
    @cuda.jit
    def inner(a):  # hit: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = np.float32(1)

    a = cuda.device_array(n, dtype=np.float32)
    inner[(n + 255) // 256, 256](a)
    return a


@lru_cache
def makes_one_once():
    @cuda.jit
    def filled(a):  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = np.float32(2)

    return filled


class Filler:
    @staticmethod
    @cuda.jit
    def method(a):  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = np.float32(1)


def main():
    n = 1 << 20
    a = cuda.device_array(n, dtype=np.float32)
    at_the_top[n // 256, 256](a)
    makes_one_once()[n // 256, 256](a)
    Filler.method[n // 256, 256](a)
