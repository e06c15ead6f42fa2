"""Results and lists that nothing uses, elements that the host copies one by one, sums of all threads."""

import math

import numpy as np
from numba import cuda, float64

THREADS = 256


@cuda.jit
def slopes(heights, size, angle):
    x, y = cuda.grid(2)
    rows, columns = heights.shape
    if 0 < x < columns - 1 and 0 < y < rows - 1:
        across = heights[y, x + 1] - heights[y, x - 1]
        down = heights[y + 1, x] - heights[y - 1, x]
        size[y, x] = math.sqrt(across * across + down * down)
        angle[y, x] = math.atan2(down, across)


def steepness(heights):
    device = cuda.to_device(heights)
    size, angle = (cuda.device_array(heights.shape) for _ in range(2))
    blocks = ((heights.shape[1] + 31) // 32, (heights.shape[0] + 7) // 8)
    slopes[blocks, (32, 8)](device, size, angle)  # hit: result-never-used
    return size.copy_to_host()


def steepness_and_aspect(heights):
    device = cuda.to_device(heights)
    size, angle = (cuda.device_array(heights.shape) for _ in range(2))
    blocks = ((heights.shape[1] + 31) // 32, (heights.shape[0] + 7) // 8)
    slopes[blocks, (32, 8)](device, size, angle)  # ok: result-never-used
    return size.copy_to_host(), angle.copy_to_host()


@cuda.jit
def product_by_row(values, columns, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(values.shape[0]):
            total += values[k, row] * x[row]
        y[row] = total


@cuda.jit
def product_by_column(values, columns, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(values.shape[0]):
            total += values[k, row] * x[columns[k, row]]
        y[row] = total


def products(rows=1 << 20):
    values = cuda.to_device(np.random.rand(7, rows))
    columns = cuda.to_device(np.random.randint(0, rows, (7, rows)))
    x = cuda.to_device(np.ones(rows))
    y, z = cuda.device_array(rows), cuda.device_array(rows)
    blocks = (rows + THREADS - 1) // THREADS
    product_by_row[blocks, THREADS](values, columns, x, y)  # hit: array-without-use
    product_by_column[blocks, THREADS](values, columns, x, z)  # ok: array-without-use
    return y.copy_to_host(), z.copy_to_host()


def one_by_one(starts):
    device = cuda.device_array(300)
    for i in range(300):
        device[i] = starts[i]  # hit: element-copied-in-host-loop
    return device


def all_at_once(starts):
    array = np.empty(300)
    for i in range(300):
        array[i] = starts[i]  # ok: element-copied-in-host-loop
    return cuda.to_device(array)


@cuda.jit
def shares_summed_by_each(amounts, shares):
    i = cuda.grid(1)
    if i < amounts.size:
        total = 0.0
        for k in range(amounts.size):  # hit: same-sum-in-every-thread
            total += amounts[k]
        shares[i] = amounts[i] / total


@cuda.jit
def shares_of_rows(amounts, shares):
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    parts = cuda.shared.array(THREADS, float64)
    part = 0.0
    for k in range(t, amounts.shape[1], THREADS):  # ok: same-sum-in-every-thread
        part += amounts[row, k]
    parts[t] = part
    half = THREADS // 2
    while half > 0:
        cuda.syncthreads()
        if t < half:
            parts[t] += parts[t + half]
        half //= 2
    cuda.syncthreads()
    for k in range(t, amounts.shape[1], THREADS):
        shares[row, k] = amounts[row, k] / parts[0]
