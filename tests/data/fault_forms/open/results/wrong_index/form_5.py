import numpy as np
from numba import cuda

n_particles = 1_000_000
n_cells = 65536
pos = np.random.rand(n_particles)
mass = np.random.rand(n_particles)
cell = np.minimum((pos * n_cells).astype(np.int64), n_cells - 1)
order = np.argsort(cell, kind="stable").astype(np.int32)
starts = np.searchsorted(cell[order], np.arange(n_cells + 1)).astype(np.int32)


@cuda.jit
def cell_mass(starts, order, mass, total):
    """`order` lists the particles cell by cell, `starts` where each cell's list begins."""
    c = cuda.grid(1)
    if c < total.size:
        s = 0.0
        for k in range(starts[c], starts[c + 1]):
            s += mass[k]  # fault: wrong_index
        total[c] = s


d_starts = cuda.to_device(starts)
d_order = cuda.to_device(order)
d_mass = cuda.to_device(mass)
d_total = cuda.device_array(n_cells, dtype=np.float64)
cell_mass[n_cells // 128, 128](d_starts, d_order, d_mass, d_total)
print("mass of first cells", d_total.copy_to_host()[:8])
