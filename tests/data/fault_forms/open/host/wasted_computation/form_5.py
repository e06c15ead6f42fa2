"""Gradient-based focus measure of a microscope stack."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def gradient_magnitude(img, mag):
    x, y = cuda.grid(2)
    h, w = img.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        gx = img[y, x + 1] - img[y, x - 1]
        gy = img[y + 1, x] - img[y - 1, x]
        mag[y, x] = math.sqrt(gx * gx + gy * gy)


@cuda.jit
def gradient_direction(img, angle):
    x, y = cuda.grid(2)
    h, w = img.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        angle[y, x] = math.atan2(img[y + 1, x] - img[y - 1, x], img[y, x + 1] - img[y, x - 1])


def sharpness_map(img):
    d_img = cuda.to_device(img)
    d_mag = cuda.to_device(np.zeros(img.shape))
    d_angle = cuda.device_array(img.shape, dtype=np.float64)
    threads = (32, 8)
    blocks = ((img.shape[1] + 31) // 32, (img.shape[0] + 7) // 8)
    gradient_magnitude[blocks, threads](d_img, d_mag)
    gradient_direction[blocks, threads](d_img, d_angle)  # fault: wasted_computation
    return d_mag.copy_to_host()


if __name__ == "__main__":
    print(sharpness_map(np.random.rand(5120, 5120)).mean())
