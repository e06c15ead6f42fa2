import math

import numpy as np
from numba import cuda, float64

LAGS = 128


@cuda.jit
def lag_products(series, out):
    """Block (lag, series) sums x[t] * x[t + lag] along one series."""
    part = cuda.shared.array(256, float64)
    lag = cuda.blockIdx.x
    row = cuda.blockIdx.y
    t = cuda.threadIdx.x
    acc = 0.0
    for k in range(t, series.shape[1] - lag, cuda.blockDim.x):
        acc += series[row, k] * series[row, k + lag]
    part[t] = acc
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[row, lag] = part[0]


def autocorrelation(series):
    out = cuda.device_array((series.shape[0], LAGS), dtype=np.float64)
    lag_products[(LAGS, series.shape[0]), 256](cuda.to_device(series), out)  # fault: grid_axis_limit_exceeded
    r = out.copy_to_host()
    return r / r[:, :1]


if __name__ == "__main__":
    walkers = np.random.default_rng(3).normal(size=(100_000, 2048))
    print(math.sqrt(np.square(autocorrelation(walkers)[:, 1:]).mean()))
