"""Standardise a long column of measurements."""
import numpy as np
from numba import cuda


@cuda.jit
def standardise(x, mean, inv_std):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = (x[i] - mean) * inv_std


def main():
    x = np.random.default_rng(0).gamma(2.0, 3.0, 6_000_000)
    d_x = cuda.to_device(x)
    threads = 256
    blocks = x.size
    standardise[blocks, threads](d_x, x.mean(), 1.0 / x.std())  # fault: oversubscribed_grid
    np.save("standardised.npy", d_x.copy_to_host())


if __name__ == "__main__":
    main()
