"""A buffer of the same size, allocated and copied to in each step."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


def run(steps):
    host = np.ones(1 << 20, dtype=np.float32)
    for step in range(steps):
        x = cuda.to_device(host)
        work = cuda.device_array(1 << 20, dtype=np.float32)  # hit: allocation-in-host-loop
        scale[4096, 256](work, np.float32(step))  # hit: launch-in-host-loop
        scale[4096, 256](x, np.float32(step))  # hit: launch-in-host-loop
