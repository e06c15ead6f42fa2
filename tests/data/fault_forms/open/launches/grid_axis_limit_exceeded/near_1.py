# near: grid_axis_limit_exceeded
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def scale_rows(m, factor):
    row = cuda.blockIdx.x
    f = factor[row]
    for k in range(cuda.threadIdx.x, m.shape[1], cuda.blockDim.x):
        m[row, k] *= f


def scaled(m, factor):
    d = cuda.to_device(m)
    scale_rows[m.shape[0], TPB](d, cuda.to_device(factor))
    return d.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    print(scaled(rng.random((300_000, 1024)), rng.random(300_000)).mean())
