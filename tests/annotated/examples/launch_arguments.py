"""Launches that give a kernel as many arguments as it takes, and others."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@cuda.jit
def fill(a, value=1.0):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = value


def scaled(a):
    d_a = cuda.to_device(a)
    blocks = (a.size + 255) // 256
    scale[blocks, 256](d_a, np.float32(2))  # ok: launch-with-other-arguments
    return d_a.copy_to_host()


def scaled_without_factor(a):
    d_a = cuda.to_device(a)
    blocks = (a.size + 255) // 256
    scale[blocks, 256](d_a)  # hit: launch-with-other-arguments
    return d_a.copy_to_host()


def scaled_with_a_size(a):
    d_a = cuda.to_device(a)
    blocks = (a.size + 255) // 256
    scale[blocks, 256](d_a, np.float32(2), a.size)  # hit: launch-with-other-arguments
    return d_a.copy_to_host()


def scaled_by_what_is_given(a, *factors):
    d_a = cuda.to_device(a)
    blocks = (a.size + 255) // 256
    scale[blocks, 256](d_a, *factors)  # ok: launch-with-other-arguments
    return d_a.copy_to_host()


def filled(a):
    d_a = cuda.to_device(a)
    blocks = (a.size + 255) // 256
    fill[blocks, 256](d_a)  # ok: launch-with-other-arguments
    return d_a.copy_to_host()
