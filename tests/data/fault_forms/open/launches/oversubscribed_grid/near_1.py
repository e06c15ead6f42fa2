# near: oversubscribed_grid
import math

import numpy as np
from numba import cuda, float64

THREADS = 128


@cuda.jit
def row_norm(m, norm):
    """One block for each row of about 20 000 entries."""
    row = cuda.blockIdx.x
    part = cuda.shared.array(128, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for k in range(t, m.shape[1], 128):
        acc += m[row, k] * m[row, k]
    part[t] = acc
    cuda.syncthreads()
    s = 64
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s >>= 1
    if t == 0:
        norm[row] = math.sqrt(part[0])


def norms(matrix):
    d_norm = cuda.device_array(matrix.shape[0], dtype=np.float64)
    blocks = matrix.shape[0]
    row_norm[blocks, THREADS](cuda.to_device(matrix), d_norm)
    return d_norm.copy_to_host()


if __name__ == "__main__":
    print(norms(np.random.default_rng(0).random((10_000, 20_000)))[:4])
