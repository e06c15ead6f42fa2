import math
import sys

import imageio.v3 as iio
import numpy as np
from numba import cuda


@cuda.jit
def sobel_magnitude(img, out):
    i, j = cuda.grid(2)
    rows, cols = img.shape
    if i >= 1 and i < rows - 1 and j >= 1 and j < cols - 1:
        gx = (img[i - 1, j + 1] + 2.0 * img[i, j + 1] + img[i + 1, j + 1]  # fault: index_order_transposed
              - img[i - 1, j - 1] - 2.0 * img[i, j - 1] - img[i + 1, j - 1])
        gy = (img[i + 1, j - 1] + 2.0 * img[i + 1, j] + img[i + 1, j + 1]
              - img[i - 1, j - 1] - 2.0 * img[i - 1, j] - img[i - 1, j + 1])
        out[i, j] = math.sqrt(gx * gx + gy * gy)  # fault: index_order_transposed
    elif i < rows and j < cols:
        out[i, j] = 0.0


def main(src, dst):
    img = iio.imread(src).astype(np.float64)
    if img.ndim == 3:
        img = img.mean(axis=2)
    img = np.ascontiguousarray(img)
    d_img = cuda.to_device(img)
    d_out = cuda.device_array_like(d_img)
    threads = (32, 8)
    blocks = (math.ceil(img.shape[0] / threads[0]), math.ceil(img.shape[1] / threads[1]))
    sobel_magnitude[blocks, threads](d_img, d_out)
    np.save(dst, d_out.copy_to_host())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
