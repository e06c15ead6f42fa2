"""Matrix product without tiles, and a gather by a stride."""

import numpy as np
from numba import cuda


@cuda.jit
def product(a, b, out):
    row, col = cuda.grid(2)
    if row < out.shape[0] and col < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, col]  # hit: factor-loaded-by-many-threads, uncoalesced-access
        out[row, col] = total  # hit: transposed-index


def workload():
    a = cuda.to_device(np.ones((256, 256), dtype=np.float32))
    b = cuda.to_device(np.ones((256, 256), dtype=np.float32))
    out = cuda.device_array((256, 256), dtype=np.float32)
    product[(16, 16), (16, 16)](a, b, out)
    return out.copy_to_host()
