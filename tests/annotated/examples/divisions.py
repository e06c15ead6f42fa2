"""Integer divisions in loops, and whole numbers through float64 divisions."""

import math

import numpy as np
from numba import cuda

SIDE = 48


@cuda.jit
def wraps_around(a, out):
    i = cuda.grid(1)
    n = a.shape[0]
    if i < out.size:
        total = np.float32(0)
        for k in range(100):
            total += a[(i + k) % n]  # hit: integer-division-in-loop
        out[i] = total


@cuda.jit
def divides_in_a_loop(a, out):
    i = cuda.grid(1)
    n = a.shape[0]
    if i < out.size:
        total = np.int64(0)
        for k in range(100):
            total += (i + k) // n  # hit: integer-division-in-loop
        out[i] = total


@cuda.jit
def by_a_constant(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(100):
            total += a[(i + k) % SIDE]  # ok: integer-division-in-loop
            total += a[(i + k) // 7]  # ok: integer-division-in-loop
        out[i] = total


@cuda.jit
def once_for_each_thread(a, n):
    i = cuda.grid(1)
    if i < a.size:
        row = i // n  # hit: division-for-each-thread  # ok: integer-division-in-loop, float-division-index
        column = i % n  # hit: division-for-each-thread  # ok: integer-division-in-loop
        a[i] = np.float32(row - column)


@cuda.jit
def the_same_in_each_round(a, out, m, n):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(100):
            total += a[k] + np.float32(m // n)  # ok: integer-division-in-loop
        out[i] = total


@cuda.jit
def remainder_of_floats(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(10):
            total += (a[i] + b[k]) % b[k]  # ok: integer-division-in-loop
        out[i] = total


@cuda.jit
def through_a_float(a, image):
    i = cuda.grid(1)
    width = image.shape[1]
    if i < a.size:
        row = int(i / width)  # hit: float-division-index  # ok: float64-promotion
        a[i] = np.float32(row)


@cuda.jit
def rounded_down_for_each_element(a, image):
    width = image.shape[1]
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        row = math.floor(i / width)  # hit: float-division-index  # hit: float64-promotion
        nearest = int(i / width + 0.5)  # ok: float-division-index
        a[i] = np.float32(row - nearest)  # hit: float64-promotion


@cuda.jit
def a_float_is_rounded(a, b, counts):
    i = cuda.grid(1)
    if i < counts.size:
        counts[i] = int(a[i] / b[i])  # ok: float-division-index


@cuda.jit
def stays_a_float(a, width):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(i) / np.float32(width)  # ok: float-division-index, float64-promotion


@cuda.jit
def by_a_constant_for_each_thread(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(i // SIDE - i % SIDE)  # ok: division-for-each-thread


@cuda.jit
def relative_errors(a, b, out, limit):
    i = cuda.grid(1)
    if i < out.size:
        hits = 0
        for k in range(64):
            error = abs(a[k] - b[i]) / (a[k] + b[i])  # hit: quotient-only-compared
            if error < limit:
                hits += 1
        out[i] = hits


@cuda.jit
def errors_by_a_product(a, b, out, limit):
    i = cuda.grid(1)
    if i < out.size:
        hits = 0
        for k in range(64):
            if abs(a[k] - b[i]) < limit * (a[k] + b[i]):  # ok: quotient-only-compared
                hits += 1
        out[i] = hits


@cuda.jit
def errors_added_up(a, b, out, limit):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(64):
            error = abs(a[k] - b[i]) / (a[k] + b[i])  # ok: quotient-only-compared
            total += error
            if error < limit:
                total += np.float32(1)
        out[i] = total


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    whole = cuda.to_device(np.ones(n, dtype=np.int64))
    blocks = n // 256
    wraps_around[blocks, 256](a, out)
    divides_in_a_loop[blocks, 256](whole, whole)
    by_a_constant[blocks, 256](a, out)
    once_for_each_thread[blocks, 256](a, n)
    the_same_in_each_round[blocks, 256](a, out, n, 1000)
    remainder_of_floats[blocks, 256](a, a, out)
    through_a_float[blocks, 256](a, cuda.device_array((1024, 1024), dtype=np.float32))
    a_float_is_rounded[blocks, 256](a, a, whole)
    stays_a_float[blocks, 256](a, n)
    by_a_constant_for_each_thread[blocks, 256](a)
    relative_errors[blocks, 256](a, a, whole, np.float32(0.1))
    errors_by_a_product[blocks, 256](a, a, whole, np.float32(0.1))
    errors_added_up[blocks, 256](a, a, out, np.float32(0.1))
