"""Grids that have the sizes of an image as the kernel's threads walk along them, and the other way round."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def column_along_x(image, out):
    x, y = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        out[y, x] = 2 * image[y, x]


@cuda.jit
def in_steps_of_the_grid(image):
    first, y = cuda.grid(2)
    if y < image.shape[0]:
        for x in range(first, image.shape[1], cuda.gridsize(2)[0]):
            image[y, x] = 0


BLOCK = (32, 8)


def grid_for(shape):
    blocks = tuple(math.ceil(size / 16) for size in shape)
    return blocks, (16,) * len(shape)


def blocks_for(rows, columns):
    return math.ceil(columns / BLOCK[0]), math.ceil(rows / BLOCK[1])


def rows_along_x(image, out):
    rows, columns = image.shape
    grid = (rows + 31) // 32, (columns + 7) // 8
    column_along_x[grid, BLOCK](image, out)  # hit: grid-exchanges-axes
    grid, block = grid_for(image.shape)
    column_along_x[grid, block](image, out)  # hit: grid-exchanges-axes
    # Threads that no column is left for come round again.
    in_steps_of_the_grid[(rows, columns), BLOCK](image)  # ok: grid-exchanges-axes


def columns_along_x(image, out):
    rows, columns = image.shape
    grid = (columns + 31) // 32, (rows + 7) // 8
    column_along_x[grid, BLOCK](image, out)  # ok: grid-exchanges-axes
    column_along_x[blocks_for(rows, columns), BLOCK](image, out)  # ok: grid-exchanges-axes
    most = max(rows, columns)
    column_along_x[(most // 32, most // 8), BLOCK](image, out)  # ok: grid-exchanges-axes


def square():
    image = cuda.device_array((512, 512), dtype=np.float32)
    grid, block = grid_for(image.shape)
    column_along_x[grid, block](image, image)  # ok: grid-exchanges-axes
