import math

import numpy as np
from numba import cuda


@cuda.jit
def sobel(img, mag):
    x, y = cuda.grid(2)
    h, w = img.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        gx = (
            img[y - 1, x + 1] + 2.0 * img[y, x + 1] + img[y + 1, x + 1]
            - img[y - 1, x - 1] - 2.0 * img[y, x - 1] - img[y + 1, x - 1]
        )
        gy = (
            img[y + 1, x - 1] + 2.0 * img[y + 1, x] + img[y + 1, x + 1]
            - img[y - 1, x - 1] - 2.0 * img[y - 1, x] - img[y - 1, x + 1]
        )
        mag[y, x] = math.sqrt(gx * gx - gy * gy)  # fault: wrong_logic
    elif x < w and y < h:
        mag[y, x] = 0.0


def edges(img):
    d_img = cuda.to_device(img)
    d_mag = cuda.device_array(img.shape, dtype=np.float64)
    blocks = ((img.shape[1] + 31) // 32, (img.shape[0] + 7) // 8)
    sobel[blocks, (32, 8)](d_img, d_mag)
    return d_mag.copy_to_host()


if __name__ == "__main__":
    print(edges(np.random.rand(4000, 6000)).max())
