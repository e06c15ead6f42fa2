"""GPU against NumPy on the logistic function."""
import math
import time

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def sigmoid(x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = 1.0 / (1.0 + math.exp(-x[i]))


def main():
    x = np.random.default_rng(0).normal(size=30_000_000)
    d_x = cuda.to_device(x)
    d_y = cuda.device_array(x.size, dtype=np.float64)
    blocks = (x.size + THREADS - 1) // THREADS

    start = time.perf_counter()
    sigmoid[blocks, THREADS](d_x, d_y)  # fault: timing_includes_compile
    cuda.synchronize()
    gpu = time.perf_counter() - start

    start = time.perf_counter()
    reference = 1.0 / (1.0 + np.exp(-x))
    cpu = time.perf_counter() - start

    assert np.allclose(d_y.copy_to_host(), reference)
    print(f"CPU {cpu:.4f} s, GPU {gpu:.4f} s, speed-up {cpu / gpu:.1f}")


if __name__ == "__main__":
    main()
