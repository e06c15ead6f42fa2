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


def makes_and_hands_back(n):
    @cuda.jit
    def filled_with(a):  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = n

    filled_with[1, 32](cuda.device_array(32, dtype=np.float32))  # compiled before it is needed
    return filled_with


_KEPT = {}


def makes_one_for_each_size(a):
    size = a.size
    if size not in _KEPT:

        @cuda.jit
        def of_that_size(a):  # ok: kernel-defined-in-function
            i = cuda.grid(1)
            if i < size:
                a[i] = np.float32(3)

        _KEPT[size] = of_that_size
        of_that_size[(size + 255) // 256, 256](a)
    else:
        _KEPT[size][(size + 255) // 256, 256](a)


def decorator_of_a_kind(function):
    @cuda.jit
    def scaled(a):  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = function(a[i])

    def launcher(a):
        scaled[(a.size + 255) // 256, 256](a)

    return launcher


@cuda.jit(device=True)
def twice(x):
    return 2 * x


doubling = decorator_of_a_kind(twice)


def with_a_helper_inside(values):
    @cuda.jit
    def doubled(a):  # hit: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = a[i] * np.float32(2)

    def step(a):
        doubled[(a.size + 255) // 256, 256](a)

    step(values)
    return values


def averages(steps):
    # Not called from here: who knows how often it is.
    values = cuda.to_device(np.ones(1 << 20, dtype=np.float32))
    for _ in range(steps):
        with_a_helper_inside(values)


class Filler:
    @staticmethod
    @cuda.jit
    def method(a):  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = np.float32(1)


def shows_an_example():
    @cuda.jit
    def shown(a):  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] = np.float32(4)

    a = cuda.device_array(1 << 20, dtype=np.float32)
    shown[a.size // 256, 256](a)
    return a


def sweeps_over_sizes():
    # A loop calls the function again and again, though nobody calls this one.
    return [defines_and_launches(n) for n in range(1000, 100000, 1000)]


def makes_one_for(factor):
    @cuda.jit
    def scaled(a):  # hit: kernel-made-in-loop  # ok: kernel-defined-in-function
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= factor

    return scaled


def scales_by_each(a, factors):
    for factor in factors:
        makes_one_for(factor)[(a.size + 255) // 256, 256](a)  # hit: launch-in-host-loop


def makes_it_once_for(factor):
    @cuda.jit
    def scaled_again(a):  # ok: kernel-made-in-loop
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= factor

    return scaled_again


def scales_again_and_again(a, factor, n):
    scale = makes_it_once_for(factor)
    for _ in range(n):
        scale[(a.size + 255) // 256, 256](a)  # hit: launch-in-host-loop


def main():
    n = 1 << 20
    a = cuda.device_array(n, dtype=np.float32)
    at_the_top[n // 256, 256](a)
    makes_one_once()[n // 256, 256](a)
    Filler.method[n // 256, 256](a)
    shows_an_example()
    with_a_helper_inside(a)
