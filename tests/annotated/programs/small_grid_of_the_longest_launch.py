"""The launch that takes the kernel's time has one block too; a warm-up before it changes nothing."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(x, out, n):
    i = cuda.grid(1)
    for at in range(i, n, cuda.gridsize(1)):
        out[at] = x[at] * np.float32(2)  # ok: uncoalesced-access


def main():
    x = cuda.to_device(np.zeros(1_000_000, np.float32))
    out = cuda.device_array_like(x)
    scale[1, 256](x, out, 10)  # ok: grid-too-small
    scale[1, 256](x, out, 1_000_000)  # hit: grid-too-small
    out.copy_to_host()


def workload():
    main()
