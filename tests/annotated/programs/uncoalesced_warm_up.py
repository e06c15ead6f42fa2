"""Elements 128 bytes apart are read in the warm-up only."""

import numpy as np
from numba import cuda


@cuda.jit
def every(x, out, step):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i * step]  # ok: uncoalesced-access


def main():
    x = cuda.to_device(np.zeros(1 << 20, np.float32))
    out = cuda.device_array(1 << 20, np.float32)
    every[1, 32](x, out, 32)
    every[4096, 256](x, out, 1)
    out.copy_to_host()


def workload():
    main()
