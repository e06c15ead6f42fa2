# near: pow_slow
import math

import numpy as np
from numba import cuda


@cuda.jit
def radial_profile(x, y, z, radius):
    i = cuda.grid(1)
    if i < radius.size:
        radius[i] = math.sqrt(x[i] ** 2 + y[i] ** 2 + z[i] ** 2)


def radii(coords):
    d = [cuda.to_device(c) for c in coords]
    d_radius = cuda.device_array(coords[0].size, dtype=np.float64)
    threads = 256
    blocks = (coords[0].size + threads - 1) // threads
    radial_profile[blocks, threads](*d, d_radius)
    return d_radius.copy_to_host()


if __name__ == "__main__":
    n = 20_000_000
    print(radii([np.random.rand(n) for _ in range(3)]).max())
