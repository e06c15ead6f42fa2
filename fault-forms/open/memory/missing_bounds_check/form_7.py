"""Elementwise log-returns of a price panel."""
import math

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def log_returns(prices, returns):
    i = cuda.grid(1)
    if i < prices.size:
        returns[i] = math.log(prices[i + 1] / prices[i])


def compute_returns(prices):
    prices = np.ascontiguousarray(prices, dtype=np.float32)
    d_prices = cuda.to_device(prices)
    d_returns = cuda.device_array(prices.size - 1, dtype=np.float32)
    blocks = math.ceil(prices.size / THREADS)
    log_returns[blocks, THREADS](d_prices, d_returns)
    return d_returns.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    ticks = 100.0 + np.cumsum(rng.normal(0, 1e-3, 20_000_000))
    r = compute_returns(ticks)
    print("vol", r.std())
