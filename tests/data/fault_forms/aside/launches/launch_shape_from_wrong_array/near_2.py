# near: launch_shape_from_wrong_array
"""Outer difference table of two coordinate lists."""
import numpy as np
from numba import cuda

BLOCK = (64, 4)


@cuda.jit
def outer_difference(rows, cols, table):
    j, i = cuda.grid(2)
    if i < table.shape[0] and j < table.shape[1]:
        d = rows[i] - cols[j]
        table[i, j] = d * d


def squared_differences(rows, cols):
    d_rows = cuda.to_device(rows)
    d_cols = cuda.to_device(cols)
    d_table = cuda.device_array((rows.size, cols.size), dtype=np.float64)
    grid = ((d_cols.size + BLOCK[0] - 1) // BLOCK[0],
            (d_rows.size + BLOCK[1] - 1) // BLOCK[1])
    outer_difference[grid, BLOCK](d_rows, d_cols, d_table)
    return d_table.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    print(squared_differences(rng.random(5_000), rng.random(20_000)).mean())
