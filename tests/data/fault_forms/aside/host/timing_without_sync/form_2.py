import time
from contextlib import contextmanager

import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def laplacian(u, out):
    x, y = cuda.grid(2)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        out[y, x] = u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] - 4.0 * u[y, x]


@contextmanager
def stopwatch(label):
    begin = time.perf_counter()
    yield
    print(label, time.perf_counter() - begin, "s")  # fault: timing_without_sync


class Stencil:
    def __init__(self, n):
        self.u = cuda.to_device(np.random.default_rng(1).random((n, n)))
        self.out = cuda.device_array_like(self.u)
        self.grid = (n + BLOCK[0] - 1) // BLOCK[0], (n + BLOCK[1] - 1) // BLOCK[1]

    def apply(self):
        laplacian[self.grid, BLOCK](self.u, self.out)


if __name__ == "__main__":
    stencil = Stencil(8192)
    stencil.apply()
    cuda.synchronize()
    with stopwatch("laplacian 8192 x 8192:"):
        stencil.apply()
