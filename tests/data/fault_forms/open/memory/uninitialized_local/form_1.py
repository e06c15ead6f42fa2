import numpy as np
from numba import cuda, float64

ORDER = 4


@cuda.jit
def local_moments(traces, moments):
    """Raw moments 1..ORDER of traces[time, trace]."""
    i = cuda.grid(1)
    if i < traces.shape[1]:
        acc = cuda.local.array(4, float64)
        n = traces.shape[0]
        for t in range(n):
            v = traces[t, i]
            acc[0] += v  # fault: uninitialized_local
            acc[1] += v * v
            acc[2] += v * v * v
            acc[3] += v * v * v * v
        moments[0, i] = acc[0] / n
        moments[1, i] = acc[1] / n
        moments[2, i] = acc[2] / n
        moments[3, i] = acc[3] / n


def kurtosis(traces):
    d_traces = cuda.to_device(np.ascontiguousarray(traces, dtype=np.float64))
    d_m = cuda.device_array((ORDER, traces.shape[1]), dtype=np.float64)
    local_moments[(traces.shape[1] + 127) // 128, 128](d_traces, d_m)
    m1, m2, m3, m4 = d_m.copy_to_host()
    var = m2 - m1 ** 2
    return (m4 - 4 * m1 * m3 + 6 * m1 ** 2 * m2 - 3 * m1 ** 4) / var ** 2


if __name__ == "__main__":
    np.save("kurtosis.npy", kurtosis(np.load("das_channels.npy")))
