"""Lists of different lengths in one array: a thread for each list, a block for each, rows of one length."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def a_thread_for_each_list(values, first, sums):
    i = cuda.grid(1)
    if i < sums.size:
        total = float32(0)
        for j in range(first[i], first[i + 1]):  # hit: divergent-loop
            total += values[j]  # hit: range-for-each-thread  # ok: uncoalesced-access
        sums[i] = total


@cuda.jit
def from_the_end(values, last, count, sums):
    i = cuda.grid(1)
    if i < sums.size:
        end = last[i]
        total = float32(0)
        j = 0
        while j < count[i]:  # hit: divergent-loop
            total += values[end - 1 - j]  # hit: range-for-each-thread
            j += 1
        sums[i] = total


@cuda.jit
def a_block_for_each_list(values, first, sums):
    part = cuda.shared.array(256, float32)
    b = cuda.blockIdx.x
    t = cuda.threadIdx.x
    total = float32(0)
    for j in range(first[b] + t, first[b + 1], cuda.blockDim.x):
        total += values[j]  # ok: range-for-each-thread
    part[t] = total
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half >>= 1
    if t == 0:
        sums[b] = part[0]


@cuda.jit
def lists_in_columns(values, count, sums):
    i = cuda.grid(1)
    if i < sums.size:
        total = float32(0)
        for j in range(count[i]):  # hit: divergent-loop
            total += values[j, i]  # ok: range-for-each-thread, uncoalesced-access
        sums[i] = total


def main():
    n = 1 << 16
    values = cuda.to_device(np.ones(8 * n, dtype=np.float32))
    first = cuda.to_device(np.arange(0, 8 * n + 8, 8, dtype=np.int32))
    count = cuda.to_device(np.full(n, 8, dtype=np.int32))
    columns = cuda.to_device(np.ones((8, n), dtype=np.float32))
    sums = cuda.device_array(n, dtype=np.float32)
    a_thread_for_each_list[n // 256, 256](values, first, sums)
    from_the_end[n // 256, 256](values, first, count, sums)
    a_block_for_each_list[n, 256](values, first, sums)
    lists_in_columns[n // 256, 256](columns, count, sums)
