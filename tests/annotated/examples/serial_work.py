"""Work that each thread repeats, or that one thread does for all."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def everybody_sums_all(a, out):
    for k in range(1, a.size):  # hit: same-work-in-every-thread  # ok: single-thread-loop
        out[k] = out[k - 1] + a[k]  # hit: running-sum-in-global-memory


@cuda.jit
def each_its_part(a, out):
    for k in range(cuda.grid(1), a.size, cuda.gridsize(1)):  # ok: same-work-in-every-thread
        out[k] = a[k]


@cuda.jit
def loop_inside_a_thread(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(a.shape[0]):  # ok: same-work-in-every-thread
            total += a[k, i]
        out[i] = total


@cuda.jit
def the_first_thread_sums(a, out):  # hit: one-thread-works
    t = cuda.threadIdx.x
    if t == 0:  # hit: single-thread-loop
        total = np.float32(0)
        for k in range(256):  # ok: same-work-in-every-thread
            total += a[cuda.blockIdx.x, k]
        out[cuda.blockIdx.x] = total


@cuda.jit
def the_first_thread_stores(out):  # hit: one-thread-works
    t = cuda.threadIdx.x
    if t == 0:  # ok: single-thread-loop
        out[cuda.blockIdx.x] = np.float32(1)


@cuda.jit
def a_guard_is_no_single_thread(a, out):
    i = cuda.grid(1)
    if i < out.size:  # ok: single-thread-loop
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += a[k, i]
        out[i] = total


@cuda.jit
def sine_of_the_round(a, out, step):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(a.shape[0]):
            angle = np.float32(k) * step
            total += a[k, i] * math.sin(angle)  # hit: function-of-loop-only
        out[i] = total


@cuda.jit
def sine_of_the_data(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += math.sin(a[k, i])  # ok: function-of-loop-only
        out[i] = total


@cuda.jit
def sine_outside_the_loop(a, out, step):
    i = cuda.grid(1)
    if i < out.size:
        factor = math.sin(step)  # ok: function-of-loop-only
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += a[k, i] * factor
        out[i] = total


def main():
    n = 1 << 16
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    columns = cuda.to_device(np.ones((256, n), dtype=np.float32))
    rows = cuda.to_device(np.ones((n, 256), dtype=np.float32))
    step = np.float32(0.25)
    everybody_sums_all[n // 256, 256](a, out)
    each_its_part[n // 256, 256](a, out)
    loop_inside_a_thread[n // 256, 256](columns, out)
    the_first_thread_sums[n, 256](rows, out)
    the_first_thread_stores[n, 256](out)
    a_guard_is_no_single_thread[n // 256, 256](columns, out)
    sine_of_the_round[n // 256, 256](columns, out, step)
    sine_of_the_data[n // 256, 256](columns, out)
    sine_outside_the_loop[n // 256, 256](columns, out, step)
