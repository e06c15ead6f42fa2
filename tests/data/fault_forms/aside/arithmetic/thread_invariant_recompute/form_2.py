import math

import cupy as cp
from numba import cuda


@cuda.jit
def backproject(sinogram, image, n_angles, centre):
    """Parallel-beam backprojection, nearest detector bin."""
    x, y = cuda.grid(2)
    if y >= image.shape[0] or x >= image.shape[1]:
        return
    px = x - 0.5 * image.shape[1]
    py = y - 0.5 * image.shape[0]
    acc = 0.0
    for a in range(n_angles):
        theta = math.pi * a / n_angles
        s = px * math.cos(theta) + py * math.sin(theta) + centre  # fault: thread_invariant_recompute
        bin_ = int(math.floor(s))
        if 0 <= bin_ < sinogram.shape[1]:
            acc += sinogram[a, bin_]
    image[y, x] = acc * math.pi / n_angles


class Reconstructor:
    def __init__(self, size, n_angles):
        self.image = cp.empty((size, size))
        self.n_angles = n_angles
        self.grid = ((size + 31) // 32, (size + 7) // 8)

    def reconstruct(self, sinogram):
        centre = 0.5 * sinogram.shape[1]
        backproject[self.grid, (32, 8)](sinogram, self.image, self.n_angles, centre)
        return self.image


if __name__ == "__main__":
    rec = Reconstructor(2048, 1440)
    print(float(rec.reconstruct(cp.random.rand(1440, 3000)).mean()))
