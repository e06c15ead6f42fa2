"""Electrostatic potential of a molecule above a line of probe points."""
import math

import cupy as cp
import numpy as np
from numba import cuda, float32


@cuda.jit
def coulomb_grid_row(x, y, z, q, gx, gy, gz, potential):
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if j >= gx.size:
        return
    for k in range(gz.size):
        v = float32(0.0)
        for a in range(x.size):
            dx = x[a] - gx[j]
            dy = y[a] - gy[j]
            dz = z[a] - gz[k]
            v += q[a] / math.sqrt(dx * dx + dy * dy + dz * dz + float32(1e-6))
        potential[k, j] = v


def potential_map(atoms, charges, line, heights):
    """Potential above a line of probe points, for many heights."""
    x, y, z = (cp.ascontiguousarray(atoms[:, k]) for k in range(3))
    gx = cp.ascontiguousarray(line[:, 0])
    gy = cp.ascontiguousarray(line[:, 1])
    out = cp.empty((heights.size, gx.size), dtype=cp.float32)
    block = 256
    grid = (gx.size + block - 1) // block
    coulomb_grid_row[grid, block](x, y, z, charges, gx, gy, heights, out)
    return out


if __name__ == "__main__":
    rs = np.random.RandomState(0)
    atoms = cp.asarray(rs.rand(20000, 3), dtype=cp.float32)
    charges = cp.asarray(rs.choice([-1.0, 1.0], 20000), dtype=cp.float32)
    line = cp.asarray(rs.rand(512, 2), dtype=cp.float32)
    heights = cp.linspace(1.1, 3.0, 4096, dtype=cp.float32)
    print(float(potential_map(atoms, charges, line, heights).mean()))
