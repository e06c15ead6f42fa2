# near: jit_in_function
"""A factory called when the module is loaded: each kernel is compiled once."""
import numpy as np
from numba import cuda

TPB = 256


def _shifted_product(lag):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] * x[i + lag]

    return kernel


lag_one = _shifted_product(1)
lag_two = _shifted_product(2)


def products(x):
    d_x = cuda.to_device(x)
    results = []
    for lag, kernel in ((1, lag_one), (2, lag_two)):
        out = cuda.device_array(x.size - lag, dtype=np.float64)
        kernel[(out.size + TPB - 1) // TPB, TPB](d_x, out)
        results.append(out)
    return [r.copy_to_host() for r in results]


if __name__ == "__main__":
    one, two = products(np.random.default_rng(1).normal(size=20_000_000))
    np.savez("products.npz", one=one, two=two)
