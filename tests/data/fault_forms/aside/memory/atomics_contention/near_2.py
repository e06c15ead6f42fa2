# near: atomics_contention
import numpy as np
from numba import cuda


@cuda.jit
def rasterise(cell, mass, surface):
    """Add galaxies to the cells of a large map; few of them share a cell."""
    i = cuda.grid(1)
    if i < cell.size:
        cuda.atomic.add(surface, cell[i], mass[i])


def mass_map(cell, mass, shape):
    d_cell = cuda.to_device(np.ascontiguousarray(cell, dtype=np.int32))
    d_mass = cuda.to_device(np.ascontiguousarray(mass, dtype=np.float64))
    d_map = cuda.to_device(np.zeros(shape[0] * shape[1]))
    rasterise[(cell.size + 255) // 256, 256](d_cell, d_mass, d_map)
    return d_map.copy_to_host().reshape(shape)


if __name__ == "__main__":
    cat = np.load("survey.npz")
    np.save("surface_density.npy", mass_map(cat["cell"], cat["mass"], (8192, 8192)))
