# near: timing_includes_compile
import time

import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[::1], float64[::1], float64))
def low_pass(x, y, a):
    i = cuda.grid(1)
    if 0 < i < x.size:
        y[i] = a * x[i] + (1.0 - a) * x[i - 1]


def timed_filter(n):
    x = cuda.to_device(np.random.default_rng(0).normal(size=n))
    y = cuda.to_device(np.zeros(n))
    cuda.synchronize()
    start = time.perf_counter()
    low_pass[(n + 255) // 256, 256](x, y, 0.2)
    cuda.synchronize()
    return time.perf_counter() - start


if __name__ == "__main__":
    print([timed_filter(n) for n in (10_000_000, 100_000_000)])
