# near: timing_without_sync
import time

import numpy as np
from numba import cuda


@cuda.jit
def cube(x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i] * x[i] * x[i]


def wait():
    cuda.current_context().synchronize()


def measure(n, threads=256):
    x = cuda.to_device(np.random.default_rng(0).random(n))
    y = cuda.device_array(n, dtype=np.float64)
    launch = cube[(n + threads - 1) // threads, threads]
    launch(x, y)
    wait()
    start = time.perf_counter()
    launch(x, y)
    wait()
    return time.perf_counter() - start


if __name__ == "__main__":
    for n in (10_000_000, 50_000_000, 100_000_000):
        print(n, measure(n))
