"""A block for each row and a thread for each column: the grid is exact, for nothing was rounded up."""

import numpy as np
from numba import cuda


@cuda.jit
def copied(a, out):
    row = cuda.blockIdx.x
    column = cuda.threadIdx.x
    out[row, column] = a[row, column]  # ok: missing-bounds-check


@cuda.jit
def flattened(a, out):
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    out[place] = a[place]  # hit: missing-bounds-check


def main():
    rows = 4096
    a = cuda.to_device(np.ones((rows, 256), dtype=np.float32))
    out = cuda.device_array((rows, 256), dtype=np.float32)
    copied[rows, 256](a, out)
    flattened[(out.size + 255) // 256, 256](a.ravel(), out.ravel())
