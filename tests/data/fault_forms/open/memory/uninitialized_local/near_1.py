# near: uninitialized_local
import numpy as np
from numba import cuda, float64


@cuda.jit
def autocovariance(series, cov):
    i = cuda.grid(1)
    if i < series.shape[1]:
        acc = cuda.local.array(3, float64)
        acc[0] = 0.0
        acc[1] = 0.0
        acc[2] = 0.0
        p1 = 0.0
        p2 = 0.0
        for t in range(series.shape[0]):
            v = series[t, i]
            acc[0] += v * v
            acc[1] += v * p1
            acc[2] += v * p2
            p2 = p1
            p1 = v
        cov[0, i] = acc[0]
        cov[1, i] = acc[1]
        cov[2, i] = acc[2]


def yule_walker(series):
    d_series = cuda.to_device(np.ascontiguousarray(series, dtype=np.float64))
    d_cov = cuda.device_array((3, series.shape[1]), dtype=np.float64)
    autocovariance[(series.shape[1] + 127) // 128, 128](d_series, d_cov)
    c0, c1, c2 = d_cov.copy_to_host()
    det = c0 * c0 - c1 * c1
    return (c1 * (c0 - c2)) / det, (c0 * c2 - c1 * c1) / det
