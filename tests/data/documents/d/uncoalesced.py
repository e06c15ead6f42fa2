"""Coalesced and uncoalesced: the same copy, by neighbouring elements and by rows."""

import numpy as np
from numba import cuda


@cuda.jit
def coalesced(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@cuda.jit
def uncoalesced(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k in range(x.shape[1]):
            out[i, k] = x[i, k]  # hit: uncoalesced-access


def workload():
    x = cuda.to_device(np.ones(1 << 18, dtype=np.float32))
    out = cuda.device_array_like(x)
    coalesced[1024, 256](x, out)
    rows = cuda.to_device(np.ones((1 << 13, 32), dtype=np.float32))
    copied = cuda.device_array_like(rows)
    uncoalesced[32, 256](rows, copied)
    return copied.copy_to_host()
