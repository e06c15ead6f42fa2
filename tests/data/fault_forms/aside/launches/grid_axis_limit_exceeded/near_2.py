# near: grid_axis_limit_exceeded
"""Rows on the y axis, with a stride so that any number of rows is served."""
import numpy as np
from numba import cuda

TPB = 128
MAX_Y = 65_535


@cuda.jit
def add_background(counts, background):
    col = cuda.grid(1)
    if col < counts.shape[1]:
        b = background[col]
        for row in range(cuda.blockIdx.y, counts.shape[0], cuda.gridDim.y):
            counts[row, col] += b


def corrected(counts, background):
    rows, cols = counts.shape
    grid = (cols + TPB - 1) // TPB, min(rows, MAX_Y)
    d = cuda.to_device(counts)
    add_background[grid, TPB](d, cuda.to_device(background))
    return d.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    print(corrected(rng.random((500_000, 512)), rng.random(512)).mean())
