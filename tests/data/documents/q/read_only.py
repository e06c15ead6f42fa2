"""Loads that no compiler may move out of the loop, since a store might change what they read."""

import numpy as np
from numba import cuda


@cuda.jit
def apply_factor(x, factor, out):
    row = cuda.grid(1)
    if row < x.shape[0]:
        for k in range(x.shape[1]):
            out[row, k] = x[row, k] * factor[0]  # hit: loop-invariant-load


@cuda.jit("void(float32[:, ::1], float32[:, ::1], float32[:, ::1])")
def filtered(weights, values, out):
    row = cuda.grid(1)
    if row < out.shape[1]:
        for step in range(out.shape[0]):
            total = np.float32(0)
            for k in range(4):
                total += weights[k, row] * values[step, k]  # hit: row-loaded-again
            out[step, row] = total


@cuda.jit
def row_sums(x, sums):
    row = cuda.grid(1)
    if row < x.shape[0]:
        for k in range(x.shape[1]):
            sums[row] += x[row, k]  # hit: global-accumulation-in-loop


def workload():
    x = cuda.to_device(np.ones((1 << 12, 32), dtype=np.float32))
    out = cuda.device_array_like(x)
    factor = cuda.to_device(np.ones(1, dtype=np.float32))
    sums = cuda.to_device(np.zeros(1 << 12, dtype=np.float32))
    apply_factor[16, 256](x, factor, out)
    row_sums[16, 256](x, sums)
    return sums.copy_to_host()
