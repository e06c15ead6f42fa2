"""Log returns of a long tick series."""
import math

import numpy as np
from numba import cuda

BLOCKS = 4
THREADS = 256


@cuda.jit
def log_returns(price, ret):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, ret.size, stride):
        ret[i] = math.log(price[i + 1] / price[i])


def main():
    n = 40_000_000
    price = 50.0 + np.random.default_rng(0).random(n + 1)
    d_price = cuda.to_device(price)
    d_ret = cuda.device_array(n, dtype=np.float64)
    log_returns[BLOCKS, THREADS](d_price, d_ret)  # fault: grid_too_small
    np.save("returns.npy", d_ret.copy_to_host())


if __name__ == "__main__":
    main()
