# near: oversubscribed_grid
"""Correlation of each pair of channels at zero lag."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def correlate(samples, corr):
    b, a = cuda.grid(2)
    n = samples.shape[1]
    if a < n and b < n:
        acc = 0.0
        for t in range(samples.shape[0]):
            acc += samples[t, a] * samples[t, b]
        corr[a, b] = acc


def zero_lag(samples):
    n = samples.shape[1]
    corr = cuda.device_array((n, n), dtype=np.float64)
    grid = ((n + BLOCK[0] - 1) // BLOCK[0], (n + BLOCK[1] - 1) // BLOCK[1])
    correlate[grid, BLOCK](cuda.to_device(samples), corr)
    return corr.copy_to_host()


if __name__ == "__main__":
    print(np.trace(zero_lag(np.random.default_rng(1).normal(size=(2_000, 3_000)))))
