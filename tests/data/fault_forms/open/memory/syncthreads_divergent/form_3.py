"""Gravitational acceleration by direct summation over tiles of bodies."""
import math

import numpy as np
from numba import cuda, float64

BLOCK = 128


@cuda.jit
def accelerations(x, y, z, m, ax, ay, az, eps2):
    tile = cuda.shared.array((4, BLOCK), float64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    n = x.size
    if i < n:
        xi = x[i]
        yi = y[i]
        zi = z[i]
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for start in range(0, n, BLOCK):
            j = start + t
            if j < n:
                tile[0, t] = x[j]
                tile[1, t] = y[j]
                tile[2, t] = z[j]
                tile[3, t] = m[j]
            cuda.syncthreads()  # fault: syncthreads_divergent
            for k in range(min(BLOCK, n - start)):
                dx = tile[0, k] - xi
                dy = tile[1, k] - yi
                dz = tile[2, k] - zi
                inv = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + eps2)
                w = tile[3, k] * inv * inv * inv
                sx += w * dx
                sy += w * dy
                sz += w * dz
            cuda.syncthreads()  # fault: syncthreads_divergent
        ax[i] = sx
        ay[i] = sy
        az[i] = sz


def compute(pos, mass, eps=1e-3):
    n = mass.size
    cols = [cuda.to_device(np.ascontiguousarray(pos[:, k], dtype=np.float64)) for k in range(3)]
    d_mass = cuda.to_device(np.asarray(mass, dtype=np.float64))
    acc = [cuda.device_array(n, dtype=np.float64) for _ in range(3)]
    accelerations[(n + BLOCK - 1) // BLOCK, BLOCK](*cols, d_mass, *acc, eps * eps)
    return np.stack([a.copy_to_host() for a in acc], axis=1)


if __name__ == "__main__":
    cluster = np.load("plummer_50021.npz")
    np.save("acc.npy", compute(cluster["pos"], cluster["mass"]))
