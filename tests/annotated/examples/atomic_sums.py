"""Atomics that a register or a plain store would spare, and loads that all threads of a block do."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def columns(a, out):
    i = cuda.grid(1)
    if i < out.size:
        for j in range(a.shape[0]):
            cuda.atomic.add(out, i, a[j, i])  # hit: atomic-with-one-writer  # ok: atomic-sum-in-loop


@cuda.jit
def columns_in_a_register(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for j in range(a.shape[0]):
            total += a[j, i]
        out[i] = total  # ok: atomic-sum-in-loop


@cuda.jit
def histogram(a, out):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        cuda.atomic.add(out, a[i], 1)  # ok: atomic-sum-in-loop, atomic-with-one-writer


@cuda.jit
def elements(a, out):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        cuda.atomic.add(out, i, a[i])  # hit: atomic-with-one-writer  # ok: atomic-sum-in-loop


@cuda.jit
def rows_of_an_image(a, out):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        cuda.atomic.add(out, y, a[y, x])  # ok: atomic-with-one-writer  # hit: contended-atomic


@cuda.jit
def distances(a, points, out):
    i = cuda.grid(1)
    if i < out.size:
        nearest = float32(1e30)
        for j in range(points.size):
            nearest = min(nearest, abs(a[i] - points[j]))  # hit: same-elements-in-every-thread
        out[i] = nearest


@cuda.jit
def weighted(a, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for j in range(4):
            total += a[j, i] * weights[j]  # ok: same-elements-in-every-thread
        out[i] = total


@cuda.jit
def forces_between_pairs(acc, pairs, f):
    i = cuda.grid(1)
    if i < f.size:
        own = f[i]
        for k in range(8):
            cuda.atomic.add(acc, i, own)  # hit: atomic-sum-in-loop  # ok: atomic-with-one-writer
            cuda.atomic.add(acc, pairs[k, i], -own)  # ok: atomic-with-one-writer, atomic-sum-in-loop


@cuda.jit
def neighbours_nearby(neighbours, counts, x):
    i = cuda.grid(1)
    if i < x.size:
        for k in range(x.size):
            if x[k] < x[i]:  # ok: atomic-sum-in-loop
                place = cuda.atomic.add(counts, i, 1)  # ok: atomic-sum-in-loop  # hit: atomic-with-one-writer
                neighbours[place, i] = k


@cuda.jit
def limited(out, a):
    i = cuda.grid(1)
    if i < out.size:
        for j in range(a.shape[0]):
            if out[i] < 10:
                cuda.atomic.add(out, i, a[j, i])  # ok: atomic-sum-in-loop  # hit: atomic-with-one-writer


@cuda.jit
def smoothed(out, a):
    i = cuda.grid(1)
    if i < out.size - 1:
        cuda.atomic.add(out, i, a[i])  # ok: atomic-with-one-writer
        cuda.atomic.add(out, i + 1, a[i])  # ok: atomic-with-one-writer


def main(n):
    image = cuda.device_array((n, n), dtype=np.float32)
    line = cuda.device_array(n, dtype=np.float32)
    whole = cuda.device_array(n, dtype=np.int32)
    blocks = (n + 127) // 128
    columns[blocks, 128](image, line)
    columns_in_a_register[blocks, 128](image, line)
    histogram[1024, 128](whole, whole)
    other = cuda.device_array(n, dtype=np.float32)
    elements[1024, 128](line, other)
    rows_of_an_image[(blocks, blocks), (32, 8)](image, line)  # hit: grid-rounded-down
    distances[blocks, 128](line, line, line)
    weighted[blocks, 128](image, line, line)
    forces_between_pairs[blocks, 128](line, whole.reshape(8, n // 8), other)
    neighbours_nearby[blocks, 128](image, whole, line)
    limited[blocks, 128](line, image)
    smoothed[blocks, 128](line, other)
