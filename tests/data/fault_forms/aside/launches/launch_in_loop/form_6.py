"""Projection of a volume along z, and its normalisation, slice after slice."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def keep_maximum(volume, z, mip):
    x, y = cuda.grid(2)
    if y < mip.shape[0] and x < mip.shape[1]:
        mip[y, x] = max(mip[y, x], volume[z, y, x])


@cuda.jit
def stretch(mip, low, gain):
    x, y = cuda.grid(2)
    if y < mip.shape[0] and x < mip.shape[1]:
        mip[y, x] = (mip[y, x] - low) * gain


class Projector:
    def __init__(self, volume, low, high):
        self.volume = cuda.to_device(volume)
        self.mip = cuda.to_device(np.full(volume.shape[1:], low))
        self.low, self.gain = low, 1.0 / (high - low)
        _, h, w = volume.shape
        self.config = ((w + BLOCK[0] - 1) // BLOCK[0], (h + BLOCK[1] - 1) // BLOCK[1]), BLOCK

    def project(self):
        kernel = keep_maximum[self.config]
        for z in range(self.volume.shape[0]):
            kernel(self.volume, z, self.mip)  # fault: launch_in_loop
        stretch[self.config](self.mip, self.low, self.gain)
        return self.mip.copy_to_host()


if __name__ == "__main__":
    ct = np.random.default_rng(5).uniform(-1000.0, 2000.0, (1200, 512, 512))
    np.save("mip.npy", Projector(ct, -1000.0, 2000.0).project())
