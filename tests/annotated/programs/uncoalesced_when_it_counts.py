"""Neighbouring lanes read neighbouring elements in the warm-up, and elements 128 bytes apart behind it."""

import numpy as np
from numba import cuda


@cuda.jit
def every(x, out, step):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i * step]  # hit: uncoalesced-access


def main():
    x = cuda.to_device(np.zeros(1 << 23, np.float32))
    out = cuda.device_array(1 << 18, np.float32)
    every[1, 32](x, out, 1)  # ok: grid-too-small
    every[1024, 256](x, out, 32)  # ok: grid-too-small
    out.copy_to_host()


def workload():
    main()
