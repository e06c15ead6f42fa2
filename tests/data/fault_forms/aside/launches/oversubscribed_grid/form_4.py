"""Potential at the sensors of an array due to point charges."""
import math

import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def potential(sensors, charges, q, phi):
    s, c = cuda.grid(2)
    if c == 0 and s < sensors.shape[1]:
        x = sensors[0, s]
        y = sensors[1, s]
        acc = 0.0
        for k in range(charges.shape[1]):
            dx = x - charges[0, k]
            dy = y - charges[1, k]
            acc += q[k] / math.sqrt(dx * dx + dy * dy + 1e-9)
        phi[s] = acc


def field(sensors, charges, q):
    n, m = sensors.shape[1], charges.shape[1]
    phi = cuda.device_array(n, dtype=np.float64)
    grid = ((n + BLOCK[0] - 1) // BLOCK[0], (m + BLOCK[1] - 1) // BLOCK[1])
    potential[grid, BLOCK](cuda.to_device(sensors), cuda.to_device(charges),  # fault: oversubscribed_grid
                           cuda.to_device(q), phi)
    return phi.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    print(field(rng.random((2, 400_000)), rng.random((2, 4_000)), rng.normal(size=4_000)).std())
