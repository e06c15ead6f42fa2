"""Sparse matrix-vector product (CSR), one warp-sized group of rows per block."""
import numpy as np
import scipy.sparse as sp
from numba import cuda, float32

THREADS = 128


@cuda.jit
def csr_matvec(indptr, indices, data, x, y):
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    acc = float32(0.0)
    for k in range(indptr[row], indptr[row + 1]):  # fault: missing_bounds_check
        acc += data[k] * x[indices[k]]
    y[row] = acc  # fault: missing_bounds_check


class DeviceCSR:
    def __init__(self, mat):
        mat = mat.tocsr()
        self.shape = mat.shape
        self.indptr = cuda.to_device(mat.indptr)
        self.indices = cuda.to_device(mat.indices)
        self.data = cuda.to_device(mat.data.astype(np.float32))

    def __matmul__(self, x):
        y = cuda.device_array(self.shape[0], dtype=np.float32)
        n_blocks = (self.shape[0] + THREADS - 1) // THREADS
        csr_matvec[n_blocks, THREADS](self.indptr, self.indices, self.data, x, y)
        return y


def laplacian(n):
    return sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))


if __name__ == "__main__":
    n = 5_000_003
    A = DeviceCSR(laplacian(n))
    v = cuda.to_device(np.ones(n, dtype=np.float32))
    for _ in range(5):
        v = A @ v
    print(v.copy_to_host()[:5])
