"""Each launch whose lanes read far apart takes longer than one of the others, but these are a hundred."""

import numpy as np
from numba import cuda


@cuda.jit
def every(x, out, step):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i * step]  # ok: uncoalesced-access


def main():
    x = cuda.to_device(np.zeros(1 << 20, np.float32))
    out = cuda.device_array(1 << 15, np.float32)
    every[128, 256](x, out, 32)
    for _ in range(100):
        every[128, 256](x, out, 1)
    out.copy_to_host()


def workload():
    main()
