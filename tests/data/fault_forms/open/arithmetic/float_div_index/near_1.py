# near: float_div_index
"""Positions binned on a grid of cells; the positions are real numbers."""
import numpy as np
from numba import cuda


@cuda.jit
def cell_of(x, inv_width, n_cells, cell):
    i = cuda.grid(1)
    if i < x.size:
        c = int(x[i] * inv_width)
        cell[i] = c if c < n_cells else n_cells - 1


def cells(x, width, n_cells):
    assert x.min() >= 0.0
    d_cell = cuda.device_array(x.size, dtype=np.int32)
    cell_of[(x.size + 255) // 256, 256](cuda.to_device(x), 1.0 / width, n_cells, d_cell)
    return d_cell.copy_to_host()


if __name__ == "__main__":
    print(cells(np.random.rand(20_000_000) * 100.0, 0.25, 400).max())
