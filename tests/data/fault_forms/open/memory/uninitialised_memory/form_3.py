import math

import numpy as np
from numba import cuda


@cuda.jit
def diffuse(src, dst, k):
    x, y = cuda.grid(2)
    ny, nx = src.shape
    if 0 < x < nx - 1 and 0 < y < ny - 1:
        dst[y, x] = src[y, x] + k * (src[y, x - 1] + src[y, x + 1] + src[y - 1, x]
                                     + src[y + 1, x] - 4.0 * src[y, x])


class Diffusion:
    """Fixed-value boundaries, explicit stepping with two buffers."""

    def __init__(self, initial, k):
        initial = np.ascontiguousarray(initial, dtype=np.float64)
        self.k = k
        self.front = cuda.to_device(initial)
        self.back = cuda.device_array(initial.shape, dtype=np.float64)  # fault: uninitialised_memory
        self.block = (32, 8)
        self.grid = (math.ceil(initial.shape[1] / 32), math.ceil(initial.shape[0] / 8))

    def run(self, n_steps):
        for _ in range(n_steps):
            diffuse[self.grid, self.block](self.front, self.back, self.k)
            self.front, self.back = self.back, self.front
        return self.front.copy_to_host()


if __name__ == "__main__":
    sim = Diffusion(np.load("dye_concentration.npy"), 0.2)
    np.save("dye_after.npy", sim.run(1001))
