"""The guide's patterns in CUDA: a sum, and a mean over a window."""

import numpy as np
from numba import cuda


@cuda.jit
def reduce_sum(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])  # hit: contended-atomic


@cuda.jit
def smooth(x, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(33):
            total += x[i + k]  # hit: window-read-by-neighbours
        out[i] = total / np.float32(33)


def workload():
    x = cuda.to_device(np.ones(1 << 18, dtype=np.float32))
    total = cuda.to_device(np.zeros(1, dtype=np.float32))
    reduce_sum[1024, 256](x, total)
    wide = cuda.to_device(np.ones((1 << 16) + 32, dtype=np.float32))
    out = cuda.device_array(1 << 16, dtype=np.float32)
    smooth[256, 256](wide, out)
    return out.copy_to_host(), total.copy_to_host()
