"""Grids computed from sizes that the host code names and does not fix: too few threads, or too many."""

import math

import numpy as np
from numba import cuda

THREADS = 256
BLOCK = (16, 16)


@cuda.jit
def shifted(x, out, by):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + by


@cuda.jit
def without_guard(x, by):
    x[cuda.grid(1)] += by


@cuda.jit
def negative(image, out):
    column, row = cuda.grid(2)
    if row < image.shape[0] and column < image.shape[1]:
        out[row, column] = -image[row, column]


@cuda.jit
def colours(image, out):
    pixel, channel = cuda.grid(2)
    if pixel < out.shape[0] and channel < out.shape[1]:
        out[pixel, channel] = 255 - image[pixel, channel]  # hit: transposed-index


@cuda.jit
def distances(points, out):
    column = cuda.grid(1)
    row = cuda.blockIdx.y
    if row < points.size and column < points.size:
        out[row, column] = points[row] - points[column]


def blocks_for(size, threads=THREADS):
    return (size + threads - 1) // threads


class Shift:
    def __init__(self, x, by):
        self.x, self.by = cuda.to_device(x), by
        self.out = cuda.device_array_like(self.x)
        self.blocks = int(len(x) / THREADS)
        self.all_blocks = math.ceil(len(x) / THREADS)

    def run(self):
        shifted[self.blocks, THREADS](self.x, self.out, self.by)  # hit: grid-rounded-down
        shifted[self.all_blocks, THREADS](self.x, self.out, self.by)  # ok: grid-rounded-down


def rounded(x, by):
    n = x.shape[0]
    device_x = cuda.to_device(x)
    out = cuda.device_array(n, x.dtype)
    shifted[n // THREADS, THREADS](device_x, out, by)  # hit: grid-rounded-down
    shifted[blocks_for(n), THREADS](device_x, out, by)  # ok: grid-rounded-down, grid-larger-than-data
    shifted[n, THREADS](device_x, out, by)  # hit: grid-larger-than-data
    shifted[n, 1](device_x, out, by)  # ok: grid-larger-than-data  # hit: block-too-small
    shifted[64, THREADS](device_x, out, by)  # hit: grid-of-fixed-size
    return out.copy_to_host()


def whole_blocks(x, by):
    assert x.size % THREADS == 0
    device_x = cuda.to_device(x)
    shifted[x.size // THREADS, THREADS](device_x, device_x, by)  # ok: grid-rounded-down


def own_data(by):
    x = cuda.device_array(64 * THREADS)
    shifted[64, THREADS](x, x, by)  # ok: grid-of-fixed-size


def inverted(image):
    rows, columns = image.shape
    device_image = cuda.to_device(image)
    out = cuda.device_array_like(device_image)
    side = math.ceil(rows / 16)
    negative[(side, side), BLOCK](device_image, out)  # hit: grid-of-one-axis
    grid = (math.ceil(columns / 16), math.ceil(rows / 16))
    negative[grid, BLOCK](device_image, out)  # ok: grid-of-one-axis, grid-exchanges-axes
    grid = (math.ceil(rows / 16), math.ceil(columns / 16))
    negative[grid, BLOCK](device_image, out)  # hit: grid-exchanges-axes
    return out.copy_to_host()


def inverted_colours(pixels):
    out = cuda.device_array((len(pixels), 3), np.uint8)
    colours[(blocks_for(len(pixels), 32), 1), (32, 32)](pixels, out)  # hit: block-longer-than-data
    colours[(blocks_for(len(pixels), 64), 1), (64, 4)](pixels, out)  # ok: block-longer-than-data


def between(points):
    n = len(points)
    out = cuda.device_array((n, n))
    distances[(blocks_for(n), n), THREADS](points, out)  # hit: grid-axis-over-limit
    few = points[:100]
    distances[(1, 100), THREADS](few, out)  # ok: grid-axis-over-limit
