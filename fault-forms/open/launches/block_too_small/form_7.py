"""Vectorised implied forward prices from discount factors."""
import math

import numpy as np
from numba import cuda

threads_per_block = 8


@cuda.jit
def forward_rates(discount, tau, forwards):
    i = cuda.grid(1)
    if i < forwards.size:
        forwards[i] = (discount[i] / discount[i + 1] - np.float32(1.0)) / tau[i]


def curve_forwards(discount, tau):
    n = tau.size
    assert discount.size == n + 1
    d_discount = cuda.to_device(discount)
    d_tau = cuda.to_device(tau)
    d_forwards = cuda.device_array(n, dtype=np.float32)
    blocks_per_grid = math.ceil(n / threads_per_block)
    forward_rates[blocks_per_grid, threads_per_block](d_discount, d_tau, d_forwards)
    return d_forwards.copy_to_host()


def main():
    n = 10_000_000
    tau = np.full(n, 0.25, dtype=np.float32)
    discount = np.exp(-np.linspace(0, 2, n + 1)).astype(np.float32)
    print(curve_forwards(discount, tau)[:5])


if __name__ == "__main__":
    main()
