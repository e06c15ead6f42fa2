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


def scaled_in_blocks_of_a_float(a):
    d_a = cuda.to_device(a)
    blocks = (a.size + 255) / 256
    scale[blocks, 256](d_a, np.float32(2))  # hit: launch-refused  # ok: block-over-limit
    return d_a.copy_to_host()


def scaled_by_a_name(a):
    d_a = cuda.to_device(a)
    scale[(a.size + 255) // 256, 256](d_a, factor=np.float32(2))  # hit: launch-refused
    return d_a.copy_to_host()


def scaled_in_whole_blocks(a):
    d_a = cuda.to_device(a)
    blocks = int(np.ceil(a.size / 256))
    scale[blocks, 256](d_a, np.float32(2))  # ok: launch-refused, block-over-limit
    return d_a.copy_to_host()


def scaled_in_a_block_too_large(a):
    d_a = cuda.to_device(a)
    scale[(a.size + 2047) // 2048, 2048](d_a, np.float32(2))  # hit: block-over-limit  # ok: launch-refused
    return d_a.copy_to_host()


@cuda.jit("void(float32[::1], float32)")  # ok: signature-refused
def scale_as_stated(a, factor):  # ok: signature-refused
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@cuda.jit("void(float32[::1])")
def scale_of_a_type_too_few(a, factor):  # hit: signature-refused
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor
