"""A block of one warp, which the grid follows, one of 100 threads, and one from the data."""

import numpy as np
from numba import cuda

THREADS = 32


@cuda.jit
def threshold(image, out, least):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = image[i] if image[i] > least else np.float32(0)


@cuda.jit
def negative(image, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = -image[i]


def workload():
    image = cuda.to_device(np.ones(1 << 18, dtype=np.float32))
    out = cuda.device_array_like(image)
    blocks = (image.size + THREADS - 1) // THREADS
    threshold[blocks, THREADS](image, out, np.float32(100))
    negative[2622, 100](image, out)  # hit: block-not-warp-multiple
    return out.copy_to_host()


def by_rows(rows):
    image = cuda.to_device(rows)
    out = cuda.device_array_like(image)
    negative[rows.shape[0], rows.shape[1]](image, out)  # hit: block-size-follows-data
    return out.copy_to_host()
