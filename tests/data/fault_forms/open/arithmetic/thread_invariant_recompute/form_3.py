"""Swap values on many short-rate paths."""
import math

import numpy as np
from numba import cuda


@cuda.jit(device=True, inline=True)
def nelson_siegel(t, b0, b1, b2, tau):
    x = t / tau
    f = (1.0 - math.exp(-x)) / x
    return b0 + b1 * f + b2 * (f - math.exp(-x))


@cuda.jit
def swap_pv(floating, fixed_rate, b0, b1, b2, tau, pv):
    """floating: (periods, paths) fixings; half-year periods."""
    path = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if path < pv.size:
        total = 0.0
        for k in range(floating.shape[0]):
            t = 0.5 * (k + 1)
            discount = math.exp(-nelson_siegel(t, b0, b1, b2, tau) * t)  # fault: thread_invariant_recompute
            total += discount * 0.5 * (floating[k, path] - fixed_rate)
        pv[path] = total


def expected_pv(floating, fixed_rate, curve):
    paths = floating.shape[1]
    d_pv = cuda.device_array(paths, dtype=np.float64)
    swap_pv[(paths + 127) // 128, 128](cuda.to_device(floating), fixed_rate, *curve, d_pv)
    return d_pv.copy_to_host().mean()


if __name__ == "__main__":
    print(expected_pv(np.random.normal(0.03, 0.01, (60, 1_000_000)), 0.03, (0.03, -0.01, 0.005, 2.1)))
