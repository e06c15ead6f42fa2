"""Two steps in blocks of 32 threads, and chunks one after the other on the default stream."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * np.float32(2)


@cuda.jit
def shift(y, z):
    i = cuda.grid(1)
    if i < y.size:
        z[i] = y[i] + np.float32(1)


def workload():
    x = cuda.to_device(np.ones(1 << 18, dtype=np.float32))
    y = cuda.device_array_like(x)
    z = cuda.device_array_like(x)
    scale[8192, 32](x, y)  # hit: block-too-small
    shift[8192, 32](y, z)  # hit: block-too-small, fusable-launches
    return z.copy_to_host()


def in_chunks(host, out, size):
    for start in range(0, host.size, size):  # hit: chunks-on-one-stream
        chunk = cuda.to_device(host[start : start + size])
        result = cuda.device_array_like(chunk)
        scale[size // 256, 256](chunk, result)
        out[start : start + size] = result.copy_to_host()
