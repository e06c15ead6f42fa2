"""A warm-up of one block: what its grid wastes nobody waits for. The launch behind it fills the device."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = x[i] * np.float32(2)  # ok: uncoalesced-access


def main():
    x = cuda.to_device(np.zeros(1_000_000, np.float32))
    out = cuda.device_array_like(x)
    scale[1, 24](x, out, 10)  # ok: grid-too-small, block-not-warp-multiple
    scale[3907, 256](x, out, 1_000_000)  # ok: grid-too-small
    out.copy_to_host()


def workload():
    main()
