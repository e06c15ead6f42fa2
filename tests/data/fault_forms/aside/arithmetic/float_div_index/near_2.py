# near: float_div_index
import cupy as cp
from numba import cuda


@cuda.jit
def add_row_bias(matrix, bias):
    col, row = cuda.grid(2)
    if row < matrix.shape[0] and col < matrix.shape[1]:
        matrix[row, col] += bias[row]


def apply_bias(matrix, bias):
    rows, cols = matrix.shape
    add_row_bias[((cols + 63) // 64, (rows + 3) // 4), (64, 4)](matrix, bias)
    return matrix


if __name__ == "__main__":
    m = cp.random.rand(20000, 1536)
    print(apply_bias(m, cp.arange(20000.0))[1, :3])
