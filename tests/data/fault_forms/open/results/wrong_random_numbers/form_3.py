import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit
def emit_isotropic(states, dx, dy, dz):
    """Unit vectors, uniform over the sphere."""
    k = cuda.grid(1)
    for i in range(k, dx.size, cuda.gridsize(1)):
        phi = 2.0 * math.pi * xoroshiro128p_uniform_float64(states, k)
        theta = math.pi * xoroshiro128p_uniform_float64(states, k)  # fault: wrong_random_numbers
        s = math.sin(theta)
        dx[i] = s * math.cos(phi)
        dy[i] = s * math.sin(phi)
        dz[i] = math.cos(theta)


photons = 10_000_000
blocks, threads = 512, 128
states = create_xoroshiro128p_states(blocks * threads, seed=2024)
directions = [cuda.device_array(photons, dtype=np.float64) for _ in range(3)]
emit_isotropic[blocks, threads](states, *directions)
print("second moments", [float((d.copy_to_host() ** 2).mean()) for d in directions])
