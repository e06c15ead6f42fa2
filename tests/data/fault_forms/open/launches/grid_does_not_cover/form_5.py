import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def lennard_jones(r2):
    s6 = 1.0 / (r2 * r2 * r2)
    return 4.0 * (s6 * s6 - s6)


@cuda.jit
def pair_energy(a, b, energy):
    j, i = cuda.grid(2)
    if i < a.shape[1] and j < b.shape[1]:
        dx = a[0, i] - b[0, j]
        dy = a[1, i] - b[1, j]
        dz = a[2, i] - b[2, j]
        energy[i, j] = lennard_jones(dx * dx + dy * dy + dz * dz)


def interaction_table(ligand, receptor):
    block = (32, 8)
    side = math.ceil(ligand.shape[1] / block[1])
    grid = (math.ceil(ligand.shape[1] / block[0]), side)
    d_energy = cuda.device_array((ligand.shape[1], receptor.shape[1]), dtype=np.float64)
    pair_energy[grid, block](cuda.to_device(ligand), cuda.to_device(receptor), d_energy)  # fault: grid_does_not_cover
    return d_energy.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(12)
    ligand = rng.random((3, 2_000)) * 10.0
    receptor = rng.random((3, 30_000)) * 60.0 + 10.0
    table = interaction_table(ligand, receptor)
    print(table.sum())
