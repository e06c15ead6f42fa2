# near: missing_bounds_check
"""Normalise image planes whose size is padded to whole blocks when the buffer is made."""
import numpy as np
from numba import cuda

THREADS = 256


class PaddedBatch:
    def __init__(self, images):
        n, c, h, w = images.shape
        self.plane = h * w
        self.padded = -(-self.plane // THREADS) * THREADS
        host = np.zeros((n, c, self.padded), dtype=np.float32)
        host[:, :, : self.plane] = images.reshape(n, c, self.plane)
        self.data = cuda.to_device(host)

    def normalize(self, mean, inv_std):
        n, c, padded = self.data.shape
        assert padded % THREADS == 0
        scale_planes[(padded // THREADS, c, n), THREADS](self.data, cuda.to_device(mean), cuda.to_device(inv_std))

    def to_host(self):
        return self.data.copy_to_host()[:, :, : self.plane]


@cuda.jit
def scale_planes(batch, mean, inv_std):
    px = cuda.grid(1)
    ch = cuda.blockIdx.y
    im = cuda.blockIdx.z
    batch[im, ch, px] = (batch[im, ch, px] - mean[ch]) * inv_std[ch]


if __name__ == "__main__":
    imgs = np.random.default_rng(0).random((128, 3, 375, 500), dtype=np.float32)
    batch = PaddedBatch(imgs)
    batch.normalize(np.array([0.5, 0.4, 0.4], np.float32), np.array([4.0, 4.5, 4.4], np.float32))
    print(batch.to_host().mean())
