"""Loops that lanes leave at different times, and loops of one length."""

import numpy as np
from numba import cuda


@cuda.jit
def until_it_escapes(real, imaginary, out):
    i = cuda.grid(1)
    if i < out.size:
        x = np.float32(0)
        y = np.float32(0)
        rounds = 0
        while x * x + y * y < np.float32(4) and rounds < 255:  # hit: divergent-loop
            x, y = x * x - y * y + real[i], np.float32(2) * x * y + imaginary[i]
            rounds += 1
        out[i] = rounds


@cuda.jit
def length_from_data(starts, a, out):
    i = cuda.grid(1)
    if i + 1 < out.size:
        total = np.float32(0)
        for k in range(starts[i], starts[i + 1]):  # hit: divergent-loop
            total += a[k]
        out[i] = total


@cuda.jit
def length_of_an_array(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(a.shape[0]):  # ok: divergent-loop
            total += a[k, i]
        out[i] = total


@cuda.jit
def fixed_length(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(10):  # ok: divergent-loop
            total += a[k, i]
        out[i] = total


@cuda.jit
def length_for_each_block(starts, a, out):
    t = cuda.threadIdx.x
    if t < out.shape[1]:
        total = np.float32(0)
        for k in range(starts[cuda.blockIdx.x], starts[cuda.blockIdx.x + 1]):  # ok: divergent-loop
            total += a[k, t]
        out[cuda.blockIdx.x, t] = total


@cuda.jit
def grid_stride(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):  # ok: divergent-loop
        a[i] = np.float32(1)


def main():
    n = 1 << 16
    a = cuda.to_device(np.ones((256, n), dtype=np.float32))
    flat = cuda.to_device(np.ones(256 * n, dtype=np.float32))
    counts = cuda.device_array(256 * n, dtype=np.int32)
    out = cuda.device_array(n, dtype=np.float32)
    starts = cuda.to_device(np.arange(n + 1, dtype=np.int32))
    rows = cuda.device_array((n, 256), dtype=np.float32)
    until_it_escapes[n, 256](flat, flat, counts)
    length_from_data[n // 256, 256](starts, flat, out)
    length_of_an_array[n // 256, 256](a, out)
    fixed_length[n // 256, 256](a, out)
    length_for_each_block[n, 256](starts, a, rows)
    grid_stride[n, 256](flat)


@cuda.jit
def strided_by_hand(a):
    i = cuda.grid(1)
    while i < a.size:  # ok: divergent-loop
        a[i] += 1
        i += cuda.gridsize(1)
