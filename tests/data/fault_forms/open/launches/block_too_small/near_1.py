# near: block_too_small
import math

import numpy as np
from numba import cuda

TILE = 8


@cuda.jit
def local_contrast(img, out):
    x, y = cuda.grid(2)
    if 0 < x < img.shape[1] - 1 and 0 < y < img.shape[0] - 1:
        c = img[y, x]
        out[y, x] = (math.fabs(c - img[y, x - 1]) + math.fabs(c - img[y, x + 1])
                     + math.fabs(c - img[y - 1, x]) + math.fabs(c - img[y + 1, x]))


def contrast(image):
    h, w = image.shape
    block = (4 * TILE, TILE)
    grid = ((w + block[0] - 1) // block[0], (h + block[1] - 1) // block[1])
    d_image = cuda.to_device(image)
    d_out = cuda.to_device(np.zeros_like(image))
    local_contrast[grid, block](d_image, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    image = np.random.default_rng(1).random((4096, 4096)).astype(np.float32)
    print(contrast(image).mean())
