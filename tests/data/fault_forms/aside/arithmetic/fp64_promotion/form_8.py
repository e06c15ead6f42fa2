"""Luma and chroma planes of a planar float image."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def rgb_to_ycbcr(r, g, b, y, cb, cr):
    col, row = cuda.grid(2)
    if row < y.shape[0] and col < y.shape[1]:
        red, green, blue = r[row, col], g[row, col], b[row, col]
        y[row, col] = 0.299 * red + 0.587 * green + 0.114 * blue  # fault: fp64_promotion
        cb[row, col] = -0.168736 * red - 0.331264 * green + 0.5 * blue  # fault: fp64_promotion
        cr[row, col] = 0.5 * red - 0.418688 * green - 0.081312 * blue  # fault: fp64_promotion


def convert(image):
    """image: float32, shape (3, rows, cols)."""
    _, rows, cols = image.shape
    planes = [cuda.to_device(image[c]) for c in range(3)]
    result = [cuda.device_array((rows, cols), dtype=np.float32) for _ in range(3)]
    block = (32, 8)
    grid = (math.ceil(cols / block[0]), math.ceil(rows / block[1]))
    rgb_to_ycbcr[grid, block](*planes, *result)
    return np.stack([p.copy_to_host() for p in result])


if __name__ == "__main__":
    frame = np.random.default_rng(5).random((3, 4320, 7680), dtype=np.float32)
    ycc = convert(frame)
    print(ycc.mean(axis=(1, 2)))
