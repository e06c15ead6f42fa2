"""Atomics on one address, where the data says, on an own element, and locks."""

import numpy as np
from numba import cuda, float32, int32


@cuda.jit
def sum_of_all(a, total):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(total, 0, a[i])  # hit: contended-atomic  # ok: data-dependent-atomic, spin-wait


@cuda.jit
def sum_of_each_block(a, total):
    t = cuda.threadIdx.x
    part = cuda.shared.array(256, float32)
    if t < a.shape[1]:
        part[t] = a[cuda.blockIdx.x, t]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half >>= 1
    if t == 0:
        cuda.atomic.add(total, 0, part[0])  # ok: contended-atomic, data-dependent-atomic


@cuda.jit
def histogram(keys, bins):
    i = cuda.grid(1)
    if i < keys.size:
        cuda.atomic.add(bins, keys[i], 1)  # hit: histogram-in-global-memory  # ok: contended-atomic


@cuda.jit
def histogram_of_many(keys, bins):
    i = cuda.grid(1)
    if i < keys.size:
        # A block of 256 threads would add more bins of its own than it counts.
        cuda.atomic.add(bins, keys[i], 1)  # hit: data-dependent-atomic  # ok: histogram-in-global-memory


@cuda.jit
def lists(keys, counts, members):
    i = cuda.grid(1)
    if i < keys.size:
        place = cuda.atomic.add(counts, keys[i], 1)  # ok: histogram-in-global-memory
        members[keys[i], place] = i


@cuda.jit
def histogram_of_each_block(keys, bins):
    t = cuda.threadIdx.x
    private = cuda.shared.array(256, int32)
    private[t] = 0
    cuda.syncthreads()
    if t < keys.shape[1]:
        cuda.atomic.add(private, keys[cuda.blockIdx.x, t], 1)  # ok: data-dependent-atomic, contended-atomic
    cuda.syncthreads()
    cuda.atomic.add(bins, t, private[t])  # ok: contended-atomic, data-dependent-atomic


@cuda.jit
def count_of_all(a, hits):
    i = cuda.grid(1)
    if i < a.size and a[i] > float32(0.5):
        # One lane adds the count of its warp.
        cuda.atomic.add(hits, 0, 1)  # ok: contended-atomic


@cuda.jit
def largest_of_all(keys, largest):
    i = cuda.grid(1)
    if i < keys.size:
        # REDUX: one lane updates the maximum of its warp.
        cuda.atomic.max(largest, 0, keys[i])  # ok: contended-atomic


@cuda.jit
def largest_float_of_all(a, largest):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.max(largest, 0, a[i])  # hit: contended-atomic


@cuda.jit
def own_element(a, out):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.max(out, i, a[i])  # ok: contended-atomic, data-dependent-atomic


@cuda.jit
def largest_of_each_share(a, largest):
    most = a[0]
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        most = max(most, a[i])
    # Info only: one update after a share of the elements.
    cuda.atomic.max(largest, 0, most)


@cuda.jit
def one_for_each_row(a, sums):
    column, row = cuda.grid(2)
    if row < a.shape[0] and column < a.shape[1]:
        cuda.atomic.add(sums, row, a[row, column])  # hit: contended-atomic


@cuda.jit
def lock(mutex, a):  # hit: one-thread-works
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:  # hit: spin-wait, lock-without-fence
            pass
        a[0] += np.float32(1)
        cuda.atomic.exch(mutex, 0, 0)  # ok: spin-wait, lock-without-fence


@cuda.jit
def lock_with_fences(mutex, a):  # hit: one-thread-works
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:  # hit: spin-wait  # ok: lock-without-fence
            pass
        cuda.threadfence()
        a[0] += np.float32(1)
        cuda.threadfence()
        cuda.atomic.exch(mutex, 0, 0)


@cuda.jit
def first_to_come(a, found):
    i = cuda.grid(1)
    if i < a.size and a[i] < float32(0):
        cuda.atomic.compare_and_swap(found, -1, i)  # ok: contended-atomic


@cuda.jit
def claimed_cells(cells, moves):
    i = cuda.grid(1)
    if i < moves.size:
        old = cuda.atomic.cas(cells, 0, 0, i)  # ok: contended-atomic
        if old == 0:
            moves[i] = cuda.atomic.exch(cells, 1, i)  # ok: contended-atomic


@cuda.jit
def sum_of_rows_of_any_length(a, total):
    i = cuda.grid(1)
    for j in range(i, a.size, cuda.gridsize(1)):
        if a[j] > float32(0):
            cuda.atomic.add(total, 0, a[j])  # hit: contended-atomic  # hit: atomic-sum-in-loop


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    rows = cuda.to_device(np.ones((4096, 256), dtype=np.float32))
    total = cuda.to_device(np.zeros(1, dtype=np.float32))
    keys = cuda.to_device(np.ones(n, dtype=np.int32))
    key_rows = cuda.to_device(np.ones((4096, 256), dtype=np.int32))
    bins = cuda.to_device(np.zeros(256, dtype=np.int32))
    mutex = cuda.to_device(np.zeros(1, dtype=np.int32))
    sum_of_all[n // 256, 256](a, total)
    sum_of_each_block[4096, 256](rows, total)
    histogram[n // 256, 256](keys, bins)
    histogram_of_many[n // 256, 256](keys, cuda.to_device(np.zeros(1 << 16, dtype=np.int32)))
    lists[n // 256, 256](keys, bins, cuda.device_array((256, n), dtype=np.int32))
    histogram_of_each_block[4096, 256](key_rows, bins)
    hits = cuda.to_device(np.zeros(1, dtype=np.int32))
    count_of_all[n // 256, 256](a, hits)
    largest_of_all[n // 256, 256](keys, hits)
    largest_float_of_all[n // 256, 256](a, total)
    largest_of_each_share[4096, 256](a, total)
    own_element[n // 256, 256](a, out)
    one_for_each_row[(8, 512), (32, 8)](rows, out)
    lock[4096, 256](mutex, out)
