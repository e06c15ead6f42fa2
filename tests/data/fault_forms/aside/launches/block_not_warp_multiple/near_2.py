# near: block_not_warp_multiple
"""Volume mask with a block of 48 x 4 = 192 threads, six full warps."""
import numpy as np
from numba import cuda

BLOCK = (48, 4, 1)


@cuda.jit
def threshold(volume, level, mask):
    k, j, i = cuda.grid(3)
    if i < volume.shape[0] and j < volume.shape[1] and k < volume.shape[2]:
        mask[i, j, k] = volume[i, j, k] > level


def segment(volume, level):
    nz, ny, nx = volume.shape
    grid = tuple((n + b - 1) // b for n, b in zip((nx, ny, nz), BLOCK))
    mask = cuda.device_array(volume.shape, dtype=np.bool_)
    threshold[grid, BLOCK](cuda.to_device(volume), level, mask)
    return mask.copy_to_host()


if __name__ == "__main__":
    ct = np.random.default_rng(1).normal(size=(300, 480, 480))
    print(segment(ct, 1.0).mean())
