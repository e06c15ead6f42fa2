# near: uninitialised_memory
import cupy as cp
from numba import cuda

TPB = 256


@cuda.jit
def bin_weights(cell, weight, grid_sum):
    i = cuda.grid(1)
    if i < cell.size:
        cuda.atomic.add(grid_sum, cell[i], weight[i])


def deposit(cell, weight, n_cells):
    grid_sum = cp.empty(n_cells, dtype=cp.float64)
    grid_sum.fill(0.0)
    bin_weights[(cell.size + TPB - 1) // TPB, TPB](cell, weight, grid_sum)
    return grid_sum


if __name__ == "__main__":
    pts = cp.load("galaxies_binned.npz")
    cp.save("mass_map.npy", deposit(pts["cell"], pts["mass"], 4096 * 4096))
