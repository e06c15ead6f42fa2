import math

import cupy as cp
from numba import cuda


@cuda.jit
def spmv(indptr, indices, data, x, y):
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < y.shape[0]:
        acc = 0.0
        for k in range(indptr[row], indptr[row + 1]):
            acc += data[k] * x[indices[k]]
        y[row] = acc


class CsrOperator:
    """Rectangular sparse operator kept on the device."""

    def __init__(self, indptr, indices, data, shape):
        self.indptr = indptr
        self.indices = indices
        self.data = data
        self.shape = shape

    def matvec(self, x):
        y = cp.empty(self.shape[0], dtype=cp.float64)
        tpb = 128
        bpg = math.ceil(x.shape[0] / tpb)
        spmv[bpg, tpb](self.indptr, self.indices, self.data, x, y)  # fault: launch_shape_from_wrong_array
        return y


if __name__ == "__main__":
    rows, cols, per_row = 3_000_000, 400_000, 4
    indptr = cp.arange(0, rows * per_row + 1, per_row, dtype=cp.int64)
    indices = cp.random.randint(0, cols, rows * per_row)
    op = CsrOperator(indptr, indices, cp.random.random(rows * per_row), (rows, cols))
    print(float(op.matvec(cp.random.random(cols)).sum()))
