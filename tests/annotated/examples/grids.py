"""Grids that leave multiprocessors without work, whatever the size of the data."""

import numpy as np
from numba import cuda


@cuda.jit
def fill(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        a[i] = np.float32(1)


@cuda.jit
def fill_in_steps(a):
    i = cuda.grid(1)
    step = cuda.gridDim.x * cuda.blockDim.x
    while i < a.size:
        a[i] = np.float32(1)
        i += step


@cuda.jit
def one_each(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = np.float32(1)


@cuda.jit
def one_series_each(seeds, terms, sums):
    i = cuda.grid(1)
    if i < sums.size:
        total = np.float32(0)
        for _ in range(terms):
            total += seeds[i]
        sums[i] = total


@cuda.jit
def one_column_each(a):
    i = cuda.grid(1)
    if i < a.shape[1]:
        for j in range(a.shape[0]):
            a[j, i] = np.float32(1)


@cuda.jit
def one_walk_each(a, steps):
    i = cuda.grid(1)
    if i < a.shape[1]:
        for j in range(1, steps):
            a[j, i] = a[j - 1, i] + a[0, i]  # hit: running-sum-in-global-memory


@cuda.jit
def all_by_one(a, sums):
    total = np.float32(0)
    for i in range(a.size):
        total += a[i]
    sums[0] = total


@cuda.jit
def steps_by_one(a, state):
    while state[0] > 0:
        least = np.float32(0)
        for i in range(a.size):
            least = min(least, a[i])
        state[0] += least


@cuda.jit
def three_by_one(a):
    a[0] = np.float32(1)
    a[1] = np.float32(2)
    a[2] = np.float32(4)


BLOCKS = 16


def grids(n):
    a = cuda.device_array(n, dtype=np.float32)
    fill[1, 256](a)  # hit: grid-too-small
    fill[BLOCKS, 256](a)  # hit: grid-too-small
    fill[(4, 8), 256](a)  # hit: grid-too-small
    fill[107, 256](a)  # hit: grid-too-small
    # A block for each multiprocessor, but few of the threads that there is room for.
    fill[108, 256](a)  # hit: grid-too-small
    fill[216, 256](a)  # hit: grid-too-small
    fill[217, 256](a)  # ok: grid-too-small
    one_column_each[128, 256](  # ok: grid-too-small  # hit: grid-of-fixed-size
        cuda.device_array((n, n), dtype=np.float32)
    )
    fill[1024, 256](a)  # ok: grid-too-small
    fill[(64, 64), 256](a)  # ok: grid-too-small
    fill[n // 256, 256](a)  # ok: grid-too-small
    fill[(n + 255) // 256, 256](a)  # ok: grid-too-small


def asked_from_the_device(n):
    a = cuda.device_array(n, dtype=np.float32)
    fill[4 * cuda.get_current_device().MULTIPROCESSOR_COUNT, 256](a)  # ok: grid-too-small


def kernels_that_stride_or_not(n):
    a = cuda.device_array(n, dtype=np.float32)
    fill_in_steps[32, 256](a)  # hit: grid-too-small
    # As many threads as elements, for all that is known here: more would run past them.
    one_each[32, 256](a)  # ok: grid-too-small  # hit: grid-of-fixed-size
    one_series_each[32, 256](a, 100, a)  # ok: grid-too-small  # hit: grid-of-fixed-size
    all_by_one[1, 1](a, a)  # hit: grid-too-small
    # The steps follow from each other, and each walks the elements again.
    steps_by_one[1, 1](a, a)  # ok: grid-too-small
    rows = cuda.device_array((n, n), dtype=np.float32)
    one_column_each[4, 128](rows)  # hit: grid-too-small  # hit: grid-of-fixed-size
    one_walk_each[4, 128](rows, n)  # ok: grid-too-small  # hit: grid-of-fixed-size


def sizes_that_are_known():
    many = cuda.device_array(100_000, dtype=np.float32)
    one_each[32, 256](many)  # hit: elements-without-thread  # ok: grid-too-small
    pairs = cuda.device_array((8192, 2), dtype=np.float32)
    one_each[32, 256](pairs)  # ok: grid-too-small
    rows = cuda.device_array((2000, 2000), dtype=np.float32)
    one_column_each[(2000 + 1023) // 1024, 1024](rows)  # hit: grid-too-small
    one_column_each[2, 1024](rows)  # hit: grid-too-small
    few = cuda.device_array(10, dtype=np.float32)
    fill[1, 32](few)  # ok: grid-too-small
    three_by_one[1, 1](few)  # ok: grid-too-small
    all_by_one[1, 1](few, few)  # ok: grid-too-small
    all_by_one[1, 1](many, few)  # hit: grid-too-small
    # A pass of some twenty elements for each thread is over before another launch could begin.
    fill[30, 128](many)  # ok: grid-too-small
    fill[30, 32](many)  # hit: grid-too-small


def capped(n):
    a = cuda.device_array(n, dtype=np.float32)
    # However many elements there are, these grids end at a number.
    fill[min(n // 256, 64), 256](a)  # hit: grid-too-small
    blocks = int(min((n + 255) // 256, BLOCKS))
    fill[blocks, 256](a)  # hit: grid-too-small
    fill[min(n // 256, 4096), 256](a)  # ok: grid-too-small
    fill[max(n // 256, 64), 256](a)  # ok: grid-too-small


def all_but_a_rest(a):
    whole = a.size // 256 * 256
    fill[whole // 256, 256](a[:whole])  # ok: grid-too-small
    # Fewer than 256 elements, which another launch of the kernel has left.
    fill[1, a.size - whole](a[whole:])  # ok: grid-too-small


def all_by_one_block(a):
    fill[1, 256](a)  # hit: grid-too-small


@cuda.jit
def column_sums(a, sums):
    i = cuda.grid(1)
    if i < a.shape[1]:
        total = np.float32(0)
        for j in range(a.shape[0]):
            total += a[j, i]
        sums[i] = total


@cuda.jit
def column_filters(a, ends):
    i = cuda.grid(1)
    if i < a.shape[1]:
        state = np.float32(0)
        for j in range(a.shape[0]):
            state = state * np.float32(0.5) + a[j, i]
        ends[i] = state


@cuda.jit
def largest_of_all(a, out):
    best = np.float32(0)
    i = cuda.threadIdx.x
    while i < a.size:
        best = max(best, a[i])
        i += 256
    cuda.atomic.max(out, 0, best)  # hit: contended-atomic


@cuda.jit
def sum_until(a, out):
    total = np.float32(0)
    for i in range(cuda.threadIdx.x, a.size, 256):
        if a[i] < 0:
            break
        total += a[i]
    cuda.atomic.add(out, 0, total)  # hit: contended-atomic


def sums_of_elements():
    few = cuda.device_array((1_000_000, 64), dtype=np.float32)
    column_sums[1, 64](few, cuda.device_array(64, dtype=np.float32))  # hit: grid-too-small
    # Each step of the filter needs the one before it.
    column_filters[1, 64](few, cuda.device_array(64, dtype=np.float32))  # ok: grid-too-small
    short = cuda.device_array((64, 64), dtype=np.float32)
    column_sums[1, 64](short, cuda.device_array(64, dtype=np.float32))  # ok: grid-too-small
    many = cuda.device_array(10_000_000, dtype=np.float32)
    one = cuda.device_array(1, dtype=np.float32)
    largest_of_all[1, 256](many, one)  # hit: grid-too-small
    sum_until[1, 256](many, one)  # ok: grid-too-small
    largest_of_all[1, 256](cuda.device_array(10_000, dtype=np.float32), one)  # ok: grid-too-small
