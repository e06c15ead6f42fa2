"""Friedmann integrand on a redshift grid for many parameter sets."""
import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def hubble(z, omega_m, omega_r):
    a = 1.0 + z
    return math.sqrt(omega_m * a ** 3.0 + omega_r * a ** 4.0 + 1.0 - omega_m - omega_r)  # fault: pow_slow


@cuda.jit
def comoving_distance(omega_m, omega_r, z_max, steps, distance):
    s = cuda.grid(1)
    if s < distance.size:
        h = z_max / steps
        om = omega_m[s]
        total = 0.5 * (1.0 / hubble(0.0, om, omega_r) + 1.0 / hubble(z_max, om, omega_r))
        for k in range(1, steps):
            total += 1.0 / hubble(k * h, om, omega_r)
        distance[s] = total * h


def distances(omega_m, omega_r=9e-5, z_max=3.0, steps=2000):
    d_distance = cuda.device_array(omega_m.size, dtype=np.float64)
    blocks = (omega_m.size + 127) // 128
    comoving_distance[blocks, 128](cuda.to_device(omega_m), omega_r, z_max, steps, d_distance)
    return d_distance.copy_to_host()


if __name__ == "__main__":
    print(distances(np.random.uniform(0.2, 0.4, 500_000))[:4])
