"""A loop whose head costs more than its work: Numba counts in 64 bits, and the compiler cannot unroll it."""

import numpy as np
from numba import cuda


@cuda.jit
def distance(x, y, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = np.float32(0)
        for k in range(x.shape[1]):  # hit: range-loop
            total += x[i, k] * y[k, j]
        out[i, j] = total


def workload():
    x = cuda.to_device(np.ones((256, 256), dtype=np.float32))
    out = cuda.device_array((256, 256), dtype=np.float32)
    distance[(16, 16), (16, 16)](x, x, out)
    return out.copy_to_host()
