"""Grids that leave multiprocessors without work, whatever the size of the data."""

import numpy as np
from numba import cuda


@cuda.jit
def fill(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        a[i] = np.float32(1)


BLOCKS = 16


def grids(n):
    a = cuda.device_array(n, dtype=np.float32)
    fill[1, 256](a)  # hit: grid-too-small
    fill[BLOCKS, 256](a)  # hit: grid-too-small
    fill[(4, 8), 256](a)  # hit: grid-too-small
    fill[107, 256](a)  # hit: grid-too-small
    fill[108, 256](a)  # ok: grid-too-small
    fill[1024, 256](a)  # ok: grid-too-small
    fill[(64, 64), 256](a)  # ok: grid-too-small
    fill[n // 256, 256](a)  # ok: grid-too-small
    fill[(n + 255) // 256, 256](a)  # ok: grid-too-small


def asked_from_the_device(n):
    a = cuda.device_array(n, dtype=np.float32)
    fill[4 * cuda.get_current_device().MULTIPROCESSOR_COUNT, 256](a)  # ok: grid-too-small
