# near: wrong_index
"""Sparse matrix-vector product, one row per thread (ELL layout)."""
import numpy as np
from numba import cuda


@cuda.jit
def ell_spmv(values, columns, x, y):
    """values, columns: (width, n_rows); unused slots have value 0 and column 0."""
    row = cuda.grid(1)
    if row < y.size:
        acc = 0.0
        for k in range(values.shape[0]):
            acc += values[k, row] * x[columns[k, row]]
        y[row] = acc


class EllMatrix:
    def __init__(self, values, columns):
        self.n_rows = values.shape[1]
        self.values = cuda.to_device(values)
        self.columns = cuda.to_device(columns)

    def dot(self, d_x):
        d_y = cuda.device_array(self.n_rows, dtype=np.float64)
        ell_spmv[(self.n_rows + 255) // 256, 256](self.values, self.columns, d_x, d_y)
        return d_y


if __name__ == "__main__":
    n = 2_000_000
    vals = np.random.rand(7, n)
    cols = np.random.randint(0, n, (7, n)).astype(np.int32)
    print(EllMatrix(vals, cols).dot(cuda.to_device(np.ones(n))).copy_to_host()[:3])
