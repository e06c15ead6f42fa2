# near: syncthreads_divergent
import math

import numpy as np
from numba import cuda, float64

TPB = 128


@cuda.jit
def row_norms(matrix, norms, n_rows):
    s = cuda.shared.array(TPB, float64)
    row = cuda.blockIdx.x
    if row >= n_rows:
        return
    t = cuda.threadIdx.x
    acc = 0.0
    for c in range(t, matrix.shape[1], TPB):
        acc += matrix[row, c] * matrix[row, c]
    s[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        norms[row] = math.sqrt(s[0])


def norms_of(matrix):
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    n_rows = matrix.shape[0]
    d_norms = cuda.device_array(n_rows, dtype=np.float64)
    row_norms[n_rows, TPB](cuda.to_device(matrix), d_norms, n_rows)
    return d_norms.copy_to_host()


if __name__ == "__main__":
    np.save("norms.npy", norms_of(np.load("descriptors.npy")))
