"""Sobel edge magnitude of a grayscale image."""
import math

import numpy as np
from numba import cuda, float32


@cuda.jit
def sobel(image, edges):
    row, col = cuda.grid(2)
    rows, cols = image.shape
    if row < 1 or col < 1 or row >= rows - 1 or col >= cols - 1:
        return
    gx = (image[row - 1, col + 1] - image[row - 1, col - 1]
          + float32(2.0) * (image[row, col + 1] - image[row, col - 1])
          + image[row + 1, col + 1] - image[row + 1, col - 1])
    gy = (image[row + 1, col - 1] - image[row - 1, col - 1]
          + float32(2.0) * (image[row + 1, col] - image[row - 1, col])
          + image[row + 1, col + 1] - image[row - 1, col + 1])
    edges[row, col] = math.sqrt(gx * gx + gy * gy)


def detect_edges(image):
    tpb = (16, 16)
    grid = (math.ceil(image.shape[0] / tpb[0]), math.ceil(image.shape[1] / tpb[1]))
    d_image = cuda.to_device(image.astype(np.float32))
    d_edges = cuda.to_device(np.zeros(image.shape, dtype=np.float32))
    sobel[grid, tpb](d_image, d_edges)
    return d_edges.copy_to_host()


def main():
    rng = np.random.default_rng(0)
    photo = rng.integers(0, 256, (4320, 7680), dtype=np.uint8)
    edges = detect_edges(photo)
    print("edge pixels:", np.count_nonzero(edges > 200))


if __name__ == "__main__":
    main()
