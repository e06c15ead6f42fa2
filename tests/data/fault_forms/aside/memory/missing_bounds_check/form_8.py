import cupy as cp
import numpy as np
from numba import cuda


class Normalizer:
    """Scales a batch of images in place, channel by channel."""

    def __init__(self, mean, std, threads=512):
        self.mean = cp.asarray(mean, dtype=cp.float32)
        self.inv_std = 1 / cp.asarray(std, dtype=cp.float32)
        self.threads = threads

    def __call__(self, batch):
        n, c, h, w = batch.shape
        plane = h * w
        grid = ((plane + self.threads - 1) // self.threads, c, n)
        normalize[grid, self.threads](batch.reshape(n, c, plane), self.mean, self.inv_std)
        return batch


@cuda.jit
def normalize(batch, mean, inv_std):
    px = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    ch = cuda.blockIdx.y
    im = cuda.blockIdx.z
    batch[im, ch, px] = (batch[im, ch, px] - mean[ch]) * inv_std[ch]  # fault: missing_bounds_check


if __name__ == "__main__":
    images = cp.random.random((256, 3, 375, 500), dtype=cp.float32)
    norm = Normalizer((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    print(np.round(float(norm(images).mean()), 4))
