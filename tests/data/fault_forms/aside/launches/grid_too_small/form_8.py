import numpy as np
from numba import cuda

THREADS = 256
BLOCKS = 4


@cuda.jit
def axpy(a, x, y):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, x.shape[0], step):
        y[i] += a * x[i]


class Vector:
    """Thin wrapper over a device array of single precision."""

    def __init__(self, data):
        self.data = data if cuda.is_cuda_array(data) else cuda.to_device(np.asarray(data, dtype=np.float32))

    def add_scaled(self, alpha, other):
        axpy[BLOCKS, THREADS](np.float32(alpha), other.data, self.data)  # fault: grid_too_small
        return self

    def numpy(self):
        return self.data.copy_to_host()


def richardson(b, sweeps=20):
    x = Vector(np.zeros_like(b))
    r = Vector(b)
    for k in range(sweeps):
        x.add_scaled(0.5 / (k + 1), r)
    return x.numpy()


if __name__ == "__main__":
    rhs = np.random.default_rng(0).standard_normal(50_000_000, dtype=np.float32)
    print(np.linalg.norm(richardson(rhs)))
