# near: grid_too_small
import math

import numpy as np
from numba import cuda


@cuda.jit
def soft_threshold(coef, lam):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, coef.size, stride):
        c = coef[i]
        shrunk = math.fabs(c) - lam
        if shrunk > 0.0:
            coef[i] = math.copysign(shrunk, c)
        else:
            coef[i] = 0.0


def shrink(coef, lam):
    device = cuda.get_current_device()
    blocks = 32 * device.MULTIPROCESSOR_COUNT
    d_coef = cuda.to_device(coef)
    soft_threshold[blocks, 256](d_coef, lam)
    return d_coef.copy_to_host()


if __name__ == "__main__":
    wavelet = np.random.default_rng(8).normal(size=50_000_000)
    print(np.count_nonzero(shrink(wavelet, 1.5)))
