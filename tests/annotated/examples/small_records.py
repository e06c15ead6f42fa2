"""Small records, decisions that loops do not change, and registers just above a step."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def lengths(points, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y = points[i, 0], points[i, 1]  # hit: record-loaded-in-parts
        out[i] = x * x + y * y


@cuda.jit
def lengths_of_two_arrays(xs, ys, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y = xs[i], ys[i]  # ok: record-loaded-in-parts
        out[i] = x * x + y * y


@cuda.jit
def by_mode(a, mode, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for j in range(a.shape[0]):
            for k in range(a.shape[1]):
                if mode > 0:  # hit: same-decision-in-each-iteration
                    total += a[j, k, i]
                else:
                    total -= a[j, k, i]
        out[i] = total


@cuda.jit
def by_element(a, least, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for j in range(a.shape[0]):
            for k in range(a.shape[1]):
                if a[j, k, i] > least:  # ok: same-decision-in-each-iteration
                    total += a[j, k, i]
        out[i] = total


def main(n):
    points = cuda.device_array((n, 2), dtype=np.float32)
    line = cuda.device_array(n, dtype=np.float32)
    cube = cuda.device_array((n, n, n), dtype=np.float32)
    blocks = (n + 127) // 128
    lengths[blocks, 128](points, line)
    lengths_of_two_arrays[blocks, 128](line, line, line)
    by_mode[blocks, 128](cube, 1, line)
    by_element[blocks, 128](cube, np.float32(0.5), line)
