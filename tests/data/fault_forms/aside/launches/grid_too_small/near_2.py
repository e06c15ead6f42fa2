# near: grid_too_small
"""Column sums of a tall matrix by blocks of rows."""
import numpy as np
from numba import cuda

ROWS_PER_BLOCK = 256
TPB = 256


@cuda.jit
def column_partials(m, partial):
    col = cuda.grid(1)
    strip = cuda.blockIdx.y
    if col < m.shape[1]:
        first = strip * ROWS_PER_BLOCK
        last = min(first + ROWS_PER_BLOCK, m.shape[0])
        acc = 0.0
        for r in range(first, last):
            acc += m[r, col]
        partial[strip, col] = acc


@cuda.jit
def fold(partial, total):
    col = cuda.grid(1)
    if col < total.size:
        acc = 0.0
        for s in range(partial.shape[0]):
            acc += partial[s, col]
        total[col] = acc


def column_sums(matrix):
    rows, cols = matrix.shape
    strips = (rows + ROWS_PER_BLOCK - 1) // ROWS_PER_BLOCK
    across = (cols + TPB - 1) // TPB
    partial = cuda.device_array((strips, cols), dtype=np.float64)
    total = cuda.device_array(cols, dtype=np.float64)
    column_partials[(across, strips), TPB](cuda.to_device(matrix), partial)
    fold[across, TPB](partial, total)
    return total.copy_to_host()


if __name__ == "__main__":
    data = np.random.default_rng(6).random((4096, 100_000))
    print(np.allclose(column_sums(data), data.sum(axis=0)))
