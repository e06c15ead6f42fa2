import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def lennard_jones(r2, epsilon, sigma2):
    s2 = sigma2 / r2
    s6 = s2 * s2 * s2
    return 4.0 * epsilon * (s6 * s6 - s6)


@cuda.jit
def pair_energy(x, y, z, energy, epsilon, sigma, cutoff):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        xi, yi, zi = x[i], y[i], z[i]
        e = 0.0
        for j in range(n):
            dx = x[j] - xi
            dy = y[j] - yi
            dz = z[j] - zi
            r2 = dx * dx + dy * dy + dz * dz
            if j != i and r2 < cutoff * cutoff:
                e += lennard_jones(r2, epsilon)  # fault: broken_code
        energy[i] = 0.5 * e


def total_energy(pos, epsilon=1.0, sigma=0.34, cutoff=1.2):
    columns = [cuda.to_device(np.ascontiguousarray(pos[:, k])) for k in range(3)]
    d_energy = cuda.device_array(len(pos), dtype=np.float64)
    blocks = math.ceil(len(pos) / 128)
    pair_energy[blocks, 128](*columns, d_energy, epsilon, sigma, cutoff)
    return d_energy.copy_to_host().sum()


if __name__ == "__main__":
    print(total_energy(np.random.rand(65536, 3) * 40.0))
