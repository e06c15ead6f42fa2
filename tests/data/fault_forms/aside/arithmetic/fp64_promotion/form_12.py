"""Kernel matrix of a Gaussian process (squared exponential)."""
import math

import numpy as np
from numba import cuda

LENGTH_SCALE = 0.35
VARIANCE = 1.7


@cuda.jit
def rbf_matrix(a, b, out):
    """a and b are (dim, n) and (dim, m)."""
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i >= out.shape[0] or j >= out.shape[1]:
        return
    d2 = np.float32(0.0)
    for k in range(a.shape[0]):
        diff = a[k, i] - b[k, j]
        d2 += diff * diff
    out[i, j] = VARIANCE * math.exp(-d2 / (2.0 * LENGTH_SCALE * LENGTH_SCALE))  # fault: fp64_promotion


class GaussianProcess:
    def __init__(self, inputs, block=(32, 8)):
        self.inputs = cuda.to_device(np.ascontiguousarray(inputs.T, dtype=np.float32))
        self.block = block

    def covariance(self, points):
        pts = cuda.to_device(np.ascontiguousarray(points.T, dtype=np.float32))
        n, m = self.inputs.shape[1], pts.shape[1]
        bx, by = self.block
        out = cuda.device_array((n, m), dtype=np.float32)
        rbf_matrix[((m + bx - 1) // bx, (n + by - 1) // by), self.block](self.inputs, pts, out)
        return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    gp = GaussianProcess(rng.random((12000, 4)))
    k = gp.covariance(rng.random((9000, 4)))
    print(k[:2].copy_to_host().max(axis=1))
