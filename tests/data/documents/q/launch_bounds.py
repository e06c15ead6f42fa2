"""A kernel of many registers: bounds on the launch let more blocks be resident."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def many_values(x, out):  # hit: occupancy-limited-by-registers
    i = cuda.grid(1)
    values = cuda.local.array(96, np.float32)
    for k in range(96):
        values[k] = x[i, k]
    total = np.float32(0)
    for k in range(96):
        total += values[k] * values[95 - k] + math.sqrt(values[k])
    for k in range(96):
        out[i, k] = total * values[k]


def workload():
    x = cuda.to_device(np.ones((1 << 12, 96), dtype=np.float32))
    out = cuda.device_array_like(x)
    many_values[16, 256](x, out)
    return out.copy_to_host()
