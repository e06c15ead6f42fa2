"""Short-window moving average, a block for each sensor's five-minute window."""
import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[:, ::1], float64[::1], float64[:, ::1]))
def weight_window(window, weights, out):
    sensor = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    lag = cuda.threadIdx.x
    if sensor < window.shape[0] and lag < weights.shape[0]:
        out[sensor, lag] = window[sensor, lag] * weights[lag]


def weighted(window, weights):
    sensors, lags = window.shape
    out = cuda.device_array((sensors, lags), dtype=np.float64)
    block = (256, 4)
    grid = (sensors + block[1] - 1) // block[1]
    weight_window[grid, block](cuda.to_device(window), cuda.to_device(weights), out)  # fault: idle_threads
    return out.copy_to_host()


if __name__ == "__main__":
    readings = np.random.default_rng(2).random((2_000_000, 12))
    print(weighted(readings, np.linspace(0.1, 1.0, 12)).sum(axis=0))
