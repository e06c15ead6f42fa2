"""Grids that end before the data does, and grids that only seem to."""

import math

import numpy as np
from numba import cuda

SIDE = 2048


@cuda.jit
def product(a, b, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        out[row, column] = total


@cuda.jit
def inner_points(old, new):
    rows, columns = old.shape
    x, y = cuda.grid(2)
    if x < 1 or y < 1 or x >= columns - 1 or y >= rows - 1:
        return
    new[y, x] = old[y - 1, x] + old[y + 1, x]


@cuda.jit
def scaled(a, n, factor):
    i = cuda.grid(1)
    if i < n:
        a[i] *= factor


@cuda.jit
def scaled_from(a, first, n):
    i = cuda.grid(1)
    if first + i < n:
        a[first + i] *= np.float32(2)


@cuda.jit
def scaled_in_steps(a):
    i = cuda.grid(1)
    while i < a.size:
        a[i] *= np.float32(2)
        i += cuda.gridsize(1)


@cuda.jit
def scaled_by_halves(a):
    i = cuda.grid(1)
    half = a.size // 2
    if i < half:
        a[i] *= np.float32(2)
        a[half + i] *= np.float32(2)


@cuda.jit
def counted(values, count):
    i = cuda.grid(1)
    if i < values.size and values[i] > 0:
        cuda.atomic.add(count, 0, 1)


def products():
    a = cuda.device_array((SIDE, SIDE), dtype=np.float32)
    out = cuda.device_array_like(a)
    threads = 16, 16
    product[(12, 12), threads](a, a, out)  # hit: elements-without-thread
    product[(SIDE // 16, 12), threads](a, a, out)  # hit: elements-without-thread
    product[(SIDE // 16, SIDE // 16), threads](a, a, out)  # ok: elements-without-thread
    small = cuda.device_array((192, 192), dtype=np.float32)
    product[(12, 12), threads](small, small, small)  # ok: elements-without-thread


def points():
    old = cuda.to_device(np.zeros((258, 514), dtype=np.float32))
    new = cuda.device_array_like(old)
    inner_points[(32, 16), (16, 16)](old, new)  # hit: elements-without-thread
    inner_points[(33, 17), (16, 16)](old, new)  # ok: elements-without-thread


def lines(unknown):
    line = cuda.to_device(np.zeros(100_000, dtype=np.float32))
    scaled[256, 256](line, line.size, np.float32(2))  # hit: elements-without-thread
    scaled[256, 256](line, 65_536, np.float32(2))  # ok: elements-without-thread
    scaled[256, 256](  # ok: elements-without-thread  # hit: grid-of-fixed-size
        unknown, unknown.size, np.float32(2)
    )
    for first in range(0, 100_000, 65_536):
        scaled_from[256, 256](line, first, line.size)  # ok: elements-without-thread
    scaled_in_steps[256, 256](line)  # ok: elements-without-thread
    scaled_by_halves[256, 256](line)  # ok: elements-without-thread
    count = cuda.to_device(np.zeros(1, dtype=np.int32))
    counted[256, 256](line, count)  # hit: elements-without-thread
    counted[391, 256](line, count)  # ok: elements-without-thread


def rounded_down():
    line = cuda.to_device(np.zeros(1_000_000, dtype=np.float32))
    threads = 128
    n = line.size
    scaled[line.size // threads, threads](line, n, np.float32(2))  # hit: elements-without-thread
    scaled[math.ceil(n / threads), threads](line, n, np.float32(2))  # ok: elements-without-thread
    image = cuda.to_device(np.zeros((64, 1000), dtype=np.float32))
    new = cuda.device_array_like(image)
    inner_points[(-(-image.shape[1] // 16), 4), (16, 16)](image, new)  # ok: elements-without-thread
    inner_points[(image.shape[1] // 32, 4), (16, 16)](image, new)  # hit: elements-without-thread


def factors():
    a = np.zeros((48, 640), dtype=np.float32)
    left = cuda.to_device(a)
    right = cuda.to_device(np.zeros((640, 96), dtype=np.float32))
    out = cuda.device_array((48, 96), dtype=np.float32)
    threads = 16, 16
    product[(a.shape[1] // 16, a.shape[0] // 16), threads](  # hit: grid-of-other-array, grid-larger-than-data
        left, right, out
    )
    product[(out.shape[1] // 16, out.shape[0] // 16), threads](left, right, out)  # ok: grid-of-other-array
    product[(right.shape[1] // 16, a.shape[0] // 16), threads](left, right, out)  # ok: grid-of-other-array
    same = cuda.to_device(np.zeros((640, 640), dtype=np.float32))
    new = cuda.device_array((640, 640), dtype=np.float32)
    product[(same.shape[1] // 16, same.shape[0] // 16), threads](same, same, new)  # ok: grid-of-other-array
