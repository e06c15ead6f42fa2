"""The same branch in Numba, and a loop whose length the data decides."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def branching(x, out, threshold):  # hit: warp-divergence
    i = cuda.grid(1)
    if i < x.size:
        if x[i] > threshold:
            total = x[i]
            for _ in range(16):
                total = math.exp(total) + math.sin(total)
            out[i] = total
        else:
            out[i] = np.float32(0)


@cuda.jit
def row_sums(starts, values, sums):
    row = cuda.grid(1)
    if row < sums.size:
        total = np.float32(0)
        for k in range(starts[row], starts[row + 1]):  # hit: divergent-loop
            total += values[k]
        sums[row] = total


def workload():
    x = cuda.to_device(np.random.default_rng(1).random(1 << 16, dtype=np.float32))
    out = cuda.device_array_like(x)
    branching[256, 256](x, out, np.float32(0.5))
    lengths = np.random.default_rng(1).integers(1, 200, 1 << 12)
    starts = cuda.to_device(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    values = cuda.to_device(np.ones(int(lengths.sum()), dtype=np.float32))
    sums = cuda.device_array(1 << 12, dtype=np.float32)
    row_sums[16, 256](starts, values, sums)
    return out.copy_to_host(), sums.copy_to_host()
