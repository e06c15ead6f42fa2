"""Throughput of a fused multiply-add over a large vector."""
import time

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def fma(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


def main():
    n = 100_000_000
    x = cuda.to_device(np.ones(n))
    y = cuda.to_device(np.zeros(n))
    blocks = (n + THREADS - 1) // THREADS
    fma[blocks, THREADS](2.0, x, y)
    cuda.synchronize()
    start = time.perf_counter()
    fma[blocks, THREADS](2.0, x, y)
    elapsed = time.perf_counter() - start  # fault: timing_without_sync
    print(f"{3 * y.nbytes / elapsed / 1e9:.1f} GB/s")


if __name__ == "__main__":
    main()
