"""Kernels made by factories: what is compiled has the values that the calls of the factory give."""

from builtins import range  # noqa: UP029

import numpy as np
from numba import cuda, float32

TILE = 32
SCALE = 0.5


def set_scale(scale):
    global SCALE
    SCALE = scale


def make_power(exponent):
    @cuda.jit
    def power(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = SCALE * x[i] ** exponent  # hit: slow-power, float64-promotion

    return power


def make_tile(width):
    @cuda.jit
    def exchanged(x, out):
        tile = cuda.shared.array((width, width), float32)
        j = cuda.threadIdx.x
        i = cuda.threadIdx.y
        row = cuda.blockIdx.y * width + i
        column = cuda.blockIdx.x * width + j
        tile[i, j] = x[row, column]  # hit: unchecked-index
        cuda.syncthreads()
        for k in range(1):
            out[column - j + i, row - i + j + k] = tile[j, i]  # hit: shared-bank-conflict, unchecked-index

    return exchanged


def make_padded_tile(width):
    padded = width + 1

    @cuda.jit
    def exchanged(x, out):
        tile = cuda.shared.array((width, padded), float32)
        j = cuda.threadIdx.x
        i = cuda.threadIdx.y
        row = cuda.blockIdx.y * width + i
        column = cuda.blockIdx.x * width + j
        tile[i, j] = x[row, column]  # hit: unchecked-index
        cuda.syncthreads()
        out[column - j + i, row - i + j] = tile[j, i]  # ok: shared-bank-conflict  # hit: unchecked-index

    return exchanged


def main():
    x = cuda.to_device(np.zeros((4096, 4096), np.float32))
    y = cuda.to_device(np.zeros((4096, 4096), np.float32))
    power = make_power(0.37)
    power[(1 << 24) // 256, 256](x.ravel(), y.ravel())
    conflicting = make_tile(TILE)
    conflicting[(128, 128), (32, 32)](x, y)
    padded = make_padded_tile(TILE)
    padded[(128, 128), (32, 32)](x, y)


main()
