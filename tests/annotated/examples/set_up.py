"""Kernels that are launched once, beside a loop of launches on the same arrays, and those that are not."""

import numpy as np
from numba import cuda


@cuda.jit
def fill(x):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        # An info finding: nobody waits for it.
        x[r, c] = np.float32(1)


@cuda.jit
def fill_again(x):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        x[r, c] = np.float32(1)  # hit: transposed-index


@cuda.jit
def advance(x):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        x[r, c] += np.float32(1)  # hit: transposed-index


def simulate(rows, columns, steps):
    grid, block = ((rows + 15) // 16, (columns + 15) // 16), (16, 16)
    x = cuda.device_array((rows, columns), dtype=np.float32)
    other = cuda.device_array((rows, columns), dtype=np.float32)
    fill[grid, block](x)
    fill_again[grid, block](other)
    for _ in range(steps):
        advance[grid, block](x)  # hit: launch-in-host-loop
    return x.copy_to_host(), other.copy_to_host()
