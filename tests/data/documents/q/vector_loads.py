"""Records of four float32, loaded one field at a time."""

import numpy as np
from numba import cuda


@cuda.jit
def lengths(points, out):
    i = cuda.grid(1)
    if i < out.size:
        x = points[i, 0]  # hit: record-loaded-in-parts
        y = points[i, 1]  # hit: record-loaded-in-parts
        z = points[i, 2]  # hit: record-loaded-in-parts
        w = points[i, 3]  # hit: record-loaded-in-parts
        out[i] = x * x + y * y + z * z + w * w


def workload():
    points = cuda.to_device(np.ones((1 << 16, 4), dtype=np.float32))
    out = cuda.device_array(1 << 16, dtype=np.float32)
    lengths[256, 256](points, out)
    return out.copy_to_host()
