import numpy as np
from numba import cuda


@cuda.jit
def deposit(cell, weight, density):
    i = cuda.grid(1)
    if i < cell.size:
        cuda.atomic.add(density, cell[i], weight[i])  # fault: uninitialised_memory


def charge_density(cell, weight, n_cells):
    d_cell = cuda.to_device(np.ascontiguousarray(cell, dtype=np.int32))
    d_weight = cuda.to_device(np.ascontiguousarray(weight, dtype=np.float64))
    d_density = cuda.device_array(n_cells, dtype=np.float64)  # fault: uninitialised_memory
    threads = 256
    deposit[(cell.size + threads - 1) // threads, threads](d_cell, d_weight, d_density)
    return d_density.copy_to_host()


if __name__ == "__main__":
    plasma = np.load("pic_particles.npz")
    rho = charge_density(plasma["cell"], plasma["weight"], int(plasma["n_cells"]))
    np.save("rho.npy", rho)
