"""Windows of an array that a kernel hands to a device function."""

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def steepest(window):
    return window[0, 0] - window[0, 2] + window[2, 0] - window[2, 2]


@cuda.jit
def rows_along_the_lanes(a, out):
    i, j = cuda.grid(2)
    if i > 0 and j > 0 and i < a.shape[0] - 1 and j < a.shape[1] - 1:
        out[i, j] = steepest(a[i - 1 : i + 2, j - 1 : j + 2])  # hit: transposed-window, transposed-index


@cuda.jit
def columns_along_the_lanes(a, out):
    j, i = cuda.grid(2)
    if i > 0 and j > 0 and i < a.shape[0] - 1 and j < a.shape[1] - 1:
        out[i, j] = steepest(a[i - 1 : i + 2, j - 1 : j + 2])  # ok: transposed-window, transposed-index


def main():
    a = cuda.to_device(np.ones((4096, 4096), dtype=np.float32))
    out = cuda.device_array((4096, 4096), dtype=np.float32)
    rows_along_the_lanes[(256, 256), (16, 16)](a, out)
    columns_along_the_lanes[(256, 256), (16, 16)](a, out)
