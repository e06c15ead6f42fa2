import math

import numpy as np
from numba import cuda


@cuda.jit
def lj_energy(dist, epsilon, sigma, energy):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for p in range(start, dist.size, stride):
        s = sigma / dist[p]
        energy[p] = 4.0 * epsilon * (math.pow(s, 12.0) - math.pow(s, 6.0))  # fault: pow_slow


def pair_energies(dist, epsilon=0.238, sigma=3.405):
    d_dist = cuda.to_device(dist)
    d_energy = cuda.device_array_like(d_dist)
    lj_energy[2048, 256](d_dist, epsilon, sigma, d_energy)
    return d_energy.copy_to_host()


def main():
    dist = np.random.uniform(3.0, 12.0, 30_000_000)
    energy = pair_energies(dist)
    print("pairs", dist.size, "total", energy.sum())


if __name__ == "__main__":
    main()
