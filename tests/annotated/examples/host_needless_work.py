"""Work of the host that nobody needs: waits, fills and copies; and arguments in each other's places."""

import math

import cupy as cp
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def blend(source, target, width, height):
    x, y = cuda.grid(2)
    if x < width and y < height:
        target[y, x] = 0.5 * source[y, x]


@cuda.jit
def step(old, new):
    i = cuda.grid(1)
    if 0 < i < old.size - 1:
        new[i] = 0.5 * (old[i - 1] + old[i + 1])


@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * x[i]


@cuda.jit
def count(x, hits):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        hits[i] = 1


@cuda.jit
def add_up(x, partial):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(partial, cuda.blockIdx.x, x[i])  # hit: contended-atomic


@cuda.jit
def weigh(matrix, weights, out):
    row = cuda.grid(1)
    if row < matrix.shape[0]:
        total = 0.0
        for k in range(matrix.shape[1]):
            total += matrix[row, k] * weights[k]
        out[row] = total


def blended(image):
    height, width = image.shape
    d_source = cuda.to_device(image)
    d_target = cuda.device_array_like(d_source)
    grid = (math.ceil(width / 16), math.ceil(height / 16))
    blend[grid, (16, 16)](d_target, d_source, width, height)  # hit: swapped-arguments
    return d_target.copy_to_host()


def blended_again(image):
    height, width = image.shape
    d_source = cuda.to_device(image)
    target_d = cuda.device_array_like(d_source)
    grid = (math.ceil(width / 16), math.ceil(height / 16))
    blend[grid, (16, 16)](d_source, target_d, height, width)  # hit: swapped-arguments, grid-exchanges-axes
    return target_d.copy_to_host()


def smoothed(field, steps):
    old = cuda.to_device(field)
    new = cuda.device_array_like(old)
    blocks = (field.size + 255) // 256
    for _ in range(steps):
        step[blocks, THREADS](old, new)  # ok: swapped-arguments
        cuda.synchronize()  # hit: wait-between-launches
        step[blocks, THREADS](new, old)  # ok: swapped-arguments
        cuda.synchronize()  # hit: wait-between-launches
    return old.copy_to_host()


def until_flat(field, tolerance):
    old = cuda.to_device(field)
    new = cuda.device_array_like(old)
    blocks = (field.size + 255) // 256
    while True:
        step[blocks, THREADS](old, new)
        cuda.synchronize()  # ok: wait-between-launches
        now = new.copy_to_host()  # hit: part-of-copy-used
        if now.max() < tolerance:
            break
        old, new = new, old


def weighed():
    weights = np.random.rand(64)
    matrix = np.random.rand(100000, 64)
    out = cuda.device_array(100000)
    weigh[391, 256](weights, matrix, out)  # hit: swapped-arguments  # hit: grid-larger-than-data
    return out.copy_to_host()


def weighed_by(matrix, weights):
    out = cuda.device_array(len(matrix))
    blocks = (len(matrix) + 255) // 256
    weigh[blocks, 256](matrix, weights, out)  # ok: swapped-arguments
    return out.copy_to_host()


def doubled(x):
    d_x = cuda.to_device(x)
    out = cuda.to_device(np.zeros_like(x))
    blocks = (x.size + 255) // 256
    double[blocks, THREADS](d_x, out)  # hit: filled-before-overwritten
    hits = cuda.to_device(np.zeros(x.size, np.int32))
    count[blocks, THREADS](d_x, hits)  # ok: filled-before-overwritten
    last = out.copy_to_host()[-1]  # hit: part-of-copy-used
    every = hits.copy_to_host()  # ok: part-of-copy-used
    print(every[:5])
    return last, every


def doubled_often(x, times):
    d_x = cp.asarray(x)
    blocks = (x.size + 255) // 256
    zeros = np.zeros(x.size)
    out = cuda.device_array(x.size)
    for _ in range(times):
        out.copy_to_device(zeros)  # hit: same-copy-in-host-loop
        double[blocks, THREADS](d_x, out)  # hit: filled-before-overwritten
        buffer = cuda.device_array(1 << 20)  # hit: allocation-in-host-loop
        double[blocks, THREADS](d_x, buffer)  # hit: result-never-used
    return out


def partial_sums(x):
    blocks = (x.size + 255) // 256
    partial = cuda.device_array(blocks)
    add_up[blocks, THREADS](cuda.to_device(x), partial)  # hit: sum-in-unset-memory
    return partial.copy_to_host().sum()  # ok: part-of-copy-used


def with_stream(fields, old, new):
    stream = cuda.stream()
    for _ in range(100):
        step[64, THREADS, stream](old, new)
        stream.synchronize()  # hit: wait-between-launches
        old, new = new, old
