"""What is wrong is told however short the launch is that shows it."""

import numpy as np
from numba import cuda


@cuda.jit
def turned(x, waits):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    at = cuda.grid(1)
    tile[i] = x[at]
    if waits:
        cuda.syncthreads()
    x[at] = tile[63 - i]  # hit: shared-memory-race


def main():
    x = cuda.to_device(np.zeros(1 << 16, np.float32))
    turned[1, 64](x, False)
    turned[1024, 64](x, True)
    x.copy_to_host()


def workload():
    main()
