# near: jit_in_function
from functools import lru_cache

import numpy as np
from numba import cuda

TPB = 256


@lru_cache(maxsize=None)
def moving_sum_kernel(width):
    @cuda.jit
    def moving_sum(x, out):
        i = cuda.grid(1)
        if i < out.size:
            acc = 0.0
            for k in range(width):
                acc += x[i + k]
            out[i] = acc

    return moving_sum


def moving_sum(d_x, width):
    out = cuda.device_array(d_x.size - width + 1, dtype=np.float64)
    moving_sum_kernel(width)[(out.size + TPB - 1) // TPB, TPB](d_x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    d_x = cuda.to_device(np.random.default_rng(0).normal(size=10_000_000))
    for k in range(3):
        np.save(f"sums_{k}.npy", moving_sum(d_x, 5 + k))
