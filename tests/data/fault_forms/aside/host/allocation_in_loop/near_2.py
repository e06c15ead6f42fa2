# near: allocation_in_loop
"""Pyramid of running maxima kept on the device."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def coarsen(fine, coarse):
    i = cuda.grid(1)
    if i < coarse.size:
        coarse[i] = max(fine[2 * i], fine[2 * i + 1])


class MaxPyramid:
    def __init__(self, signal):
        self.levels = [cuda.to_device(signal)]
        while self.levels[-1].size >= 65_536:
            fine = self.levels[-1]
            coarse = cuda.device_array(fine.size // 2, dtype=np.float64)
            coarsen[(coarse.size + TPB - 1) // TPB, TPB](fine, coarse)
            self.levels.append(coarse)

    def level(self, k):
        return self.levels[k].copy_to_host()


if __name__ == "__main__":
    pyramid = MaxPyramid(np.random.default_rng(1).random(1 << 26))
    np.save("level4.npy", pyramid.level(4))
