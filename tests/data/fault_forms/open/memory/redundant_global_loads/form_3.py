"""Lennard-Jones forces with a neighbour list (structure of arrays)."""
import numpy as np
from numba import cuda


@cuda.jit
def lj_forces(x, y, z, neigh, n_neigh, fx, fy, fz, sigma6, eps, rc2):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= x.size:
        return
    xi = x[i]
    yi = y[i]
    zi = z[i]
    fx[i] = 0.0
    fy[i] = 0.0
    fz[i] = 0.0
    for k in range(n_neigh[i]):
        j = neigh[k, i]
        dx = xi - x[j]
        dy = yi - y[j]
        dz = zi - z[j]
        r2 = dx * dx + dy * dy + dz * dz
        if r2 < rc2:
            inv2 = 1.0 / r2
            s6 = sigma6 * inv2 * inv2 * inv2
            g = 24.0 * eps * inv2 * s6 * (2.0 * s6 - 1.0)
            fx[i] += g * dx  # fault: redundant_global_loads
            fy[i] += g * dy  # fault: redundant_global_loads
            fz[i] += g * dz  # fault: redundant_global_loads


def forces(pos, neigh, n_neigh, sigma=1.0, eps=1.0, cutoff=2.5):
    n = pos.shape[0]
    x, y, z = (cuda.to_device(np.ascontiguousarray(pos[:, k])) for k in range(3))
    f = [cuda.device_array(n, dtype=np.float64) for _ in range(3)]
    d_neigh = cuda.to_device(np.ascontiguousarray(neigh.T))
    d_count = cuda.to_device(n_neigh)
    lj_forces[(n + 127) // 128, 128](x, y, z, d_neigh, d_count, *f, sigma ** 6, eps, cutoff ** 2)
    return np.stack([c.copy_to_host() for c in f], axis=1)


if __name__ == "__main__":
    state = np.load("liquid_argon.npz")
    np.save("forces.npy", forces(state["pos"], state["neigh"], state["n_neigh"]))
