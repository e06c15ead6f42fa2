"""Despiking of a sensor log."""
import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[:, ::1], float64[:, ::1]))
def median3(x, y):
    t = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    s = cuda.blockIdx.y
    n = x.shape[1]
    if t < n:
        a = x[s, max(t - 1, 0)]
        b = x[s, t]
        c = x[s, min(t + 1, n - 1)]
        y[s, t] = max(min(a, b), min(max(a, b), c))


def despike(log):
    sensors, samples = log.shape
    d_in = cuda.device_array((sensors, samples), dtype=np.float64)
    d_out = cuda.device_array_like(d_in)
    for s in range(sensors):
        d_in[s].copy_to_device(log[s])  # fault: copy_in_loop
    grid = (samples + 255) // 256, sensors
    median3[grid, 256](d_in, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    log = np.random.default_rng(3).standard_cauchy((4000, 5000))
    np.save("clean.npy", despike(log))
