import numpy as np
from numba import cuda


@cuda.jit
def add_row_bias(flat, bias, width):
    """flat: a (rows, width) matrix stored as one vector."""
    i = cuda.grid(1)
    if i < flat.size:
        row = int(i / width)  # fault: float_div_index
        flat[i] += bias[row]


def apply_bias(matrix, bias):
    d_flat = cuda.to_device(matrix.ravel())
    d_bias = cuda.to_device(bias)
    threads = 256
    blocks = (matrix.size + threads - 1) // threads
    add_row_bias[blocks, threads](d_flat, d_bias, matrix.shape[1])
    return d_flat.copy_to_host().reshape(matrix.shape)


if __name__ == "__main__":
    m = np.random.rand(20000, 1536)
    print(apply_bias(m, np.arange(20000.0))[1, :3])
