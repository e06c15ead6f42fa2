"""A tile of 48 KiB, of which one block fits on many devices."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def blurred(x, out):  # hit: occupancy-limited-by-shared-memory
    tile = cuda.shared.array((96, 128), float32)
    i = cuda.threadIdx.x
    row = cuda.blockIdx.x
    for k in range(96):
        tile[k, i] = x[row * 96 + k, i]
    cuda.syncthreads()
    total = float32(0)
    for k in range(96):
        total += tile[k, 127 - i]
    out[row, i] = total


def workload():
    x = cuda.to_device(np.ones((96 * 128, 128), dtype=np.float32))
    out = cuda.device_array((128, 128), dtype=np.float32)
    blurred[128, 128](x, out)
    return out.copy_to_host()
