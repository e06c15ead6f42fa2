# near: implicit_host_copy
import numpy as np
from numba import cuda


@cuda.jit
def saturate(x, low, high):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = min(max(x[i], low), high)


def clip(values, low, high):
    values = cuda.to_device(values)
    saturate[(values.size + 255) // 256, 256](values, low, high)
    return values.copy_to_host()


if __name__ == "__main__":
    values = np.random.default_rng(0).normal(size=30_000_000)
    print(clip(values, -2.0, 2.0).std())
