"""What limits the resident warps on an A100: registers, shared memory, or nothing."""

import numpy as np
from numba import cuda, float32

VALUES = 64


@cuda.jit
def large_tile(a, out):  # hit: occupancy-limited-by-shared-memory  # ok: occupancy-limited-by-registers
    tile = cuda.shared.array((16, 512), float32)
    t = cuda.threadIdx.x
    for k in range(16):
        tile[k, t] = a[k, t]
    cuda.syncthreads()
    total = np.float32(0)
    for k in range(16):
        total += tile[15 - k, 127 - t]
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = total


@cuda.jit
def small_tile(a, out):  # ok: occupancy-limited-by-shared-memory, occupancy-limited-by-registers
    tile = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    tile[t] = a[0, t]
    cuda.syncthreads()
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = tile[127 - t]


@cuda.jit
def many(a, out):  # hit: occupancy-limited-by-registers, wide-index-arithmetic  # ok: register-step
    t = cuda.threadIdx.x
    values = cuda.local.array(VALUES, float32)
    if t < a.shape[1]:
        for k in range(VALUES):
            values[k] = a[k, t]
        for k in range(VALUES):
            out[cuda.blockIdx.x, k, t] = values[k] * values[VALUES - 1 - k] + values[(k * 7) % VALUES]


@cuda.jit
def few_values(a, out):  # ok: occupancy-limited-by-registers, register-spills
    t = cuda.threadIdx.x
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = a[0, t]


def main():
    n = 4096
    a = cuda.to_device(np.ones((n, 128), dtype=np.float32))
    out = cuda.device_array((n, 128), dtype=np.float32)
    cube = cuda.device_array((n, VALUES, 128), dtype=np.float32)
    large_tile[n, 128](a, out)
    small_tile[n, 128](a, out)
    many[n, 128](a, cube)
    few_values[n, 128](a, out)
