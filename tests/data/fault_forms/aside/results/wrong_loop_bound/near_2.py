# near: wrong_loop_bound
import math

import numpy as np
from numba import cuda


@cuda.jit
def decay_energy(energy, rate, dt):
    """Grid-stride over the array; the launch may have any number of blocks."""
    for i in range(cuda.grid(1), energy.size, cuda.gridDim.x * cuda.blockDim.x):
        energy[i] *= math.exp(-rate[i] * dt)


def cool(energy, rate, dt):
    d_energy = cuda.to_device(energy)
    d_rate = cuda.to_device(rate)
    blocks = min(2048, (energy.size + 255) // 256)
    decay_energy[blocks, 256](d_energy, d_rate, dt)
    return d_energy.copy_to_host()


if __name__ == "__main__":
    n = 30_000_000
    print(cool(np.ones(n), np.random.rand(n), 0.3)[:4])
