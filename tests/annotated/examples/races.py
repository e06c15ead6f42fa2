"""Updates without order: all threads on one element, or where the data says."""

import math

import numpy as np
from numba import cuda, float32, int32


@cuda.jit
def everybody_adds(a, total):
    i = cuda.grid(1)
    if i < a.size:
        total[0] += a[i]  # hit: unordered-update


@cuda.jit
def all_of_a_block_add(a, totals):
    t = cuda.threadIdx.x
    if t < a.shape[1]:
        totals[cuda.blockIdx.x] += a[cuda.blockIdx.x, t]  # hit: unordered-update


@cuda.jit
def each_its_own(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += np.float32(1)  # ok: unordered-update, unordered-data-dependent-update


@cuda.jit
def one_thread_adds(a, totals):  # hit: one-thread-works
    if cuda.threadIdx.x == 0:
        totals[0] = np.float32(0)
        totals[cuda.blockIdx.x] += a[0, 0]  # ok: unordered-update


@cuda.jit
def with_an_atomic(a, total):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(total, 0, a[i])  # ok: unordered-update  # hit: contended-atomic


@cuda.jit
def where_the_data_says(keys, bins):
    i = cuda.grid(1)
    if i < keys.size:
        bins[keys[i]] += 1  # hit: unordered-data-dependent-update  # ok: unordered-update


@cuda.jit
def counted_in_bins(values, low, width, bins):
    i = cuda.grid(1)
    if i < values.size:
        place = np.int32(math.floor((values[i] - low) / width))
        if place >= 0 and place < bins.size:  # ok: truncation-before-range-test, range-test-without-effect
            bins[place] += 1  # hit: unordered-data-dependent-update


@cuda.jit
def counted_in_bins_of_the_thread(values, low, width, bins):
    i = cuda.grid(1)
    if i < values.size:
        place = int((values[i] - low) / width)
        if place >= 0 and place < bins.shape[1]:  # hit: truncation-before-range-test
            bins[i, place] += 1  # hit: uncoalesced-access  # ok: unordered-data-dependent-update


@cuda.jit
def outside_of_both_ends(places, bins):
    i = cuda.grid(1)
    if i < places.size:
        place = places[i]
        if place >= 0 or place < bins.size:  # hit: range-test-without-effect
            cuda.atomic.add(bins, place, 1)  # hit: data-dependent-atomic


@cuda.jit
def rows_by_key(keys, bins):
    t = cuda.threadIdx.x
    row = keys[cuda.blockIdx.x]
    if t < bins.shape[1]:
        bins[row, t] += 1  # ok: unordered-data-dependent-update, unordered-update


@cuda.jit
def private_to_the_thread(a, out):
    i = cuda.grid(1)
    total = cuda.local.array(1, float32)
    if i < out.size:
        total[0] = np.float32(0)
        total[0] += a[i]  # ok: unordered-update
        out[i] = total[0]


@cuda.jit
def smoothed_in_place(a):
    i = cuda.grid(1)
    if i > 0 and i < a.size - 1:
        a[i] = (a[i - 1] + a[i + 1]) * np.float32(0.5)  # hit: neighbours-read-while-written


@cuda.jit
def smoothed(a, out):
    i = cuda.grid(1)
    if i > 0 and i < a.size - 1:
        out[i] = (a[i - 1] + a[i + 1]) * np.float32(0.5)  # ok: neighbours-read-while-written


@cuda.jit
def cleared_for_all_blocks(keys, bins):
    i = cuda.grid(1)
    if i < bins.size:
        bins[i] = 0
    cuda.syncthreads()  # hit: block-barrier-for-grid
    if i < keys.size:
        cuda.atomic.add(bins, keys[i], 1)  # hit: data-dependent-atomic


@cuda.jit
def cleared_for_the_block(keys, bins, counts):
    t = cuda.threadIdx.x
    own = cuda.shared.array(256, int32)
    own[t] = 0
    cuda.syncthreads()  # ok: block-barrier-for-grid
    if cuda.grid(1) < keys.size:
        cuda.atomic.add(own, keys[cuda.grid(1)] % 256, 1)
    cuda.syncthreads()  # ok: block-barrier-for-grid
    if t < counts.shape[1]:
        counts[cuda.blockIdx.x, t] = own[t]


@cuda.jit
def smoothed_in_steps_of_the_grid(a):
    for i in range(cuda.grid(1) + 1, a.size - 1, cuda.gridsize(1)):
        a[i] = (a[i - 1] + a[i + 1]) * np.float32(0.5)  # hit: neighbours-read-while-written


@cuda.jit
def drawn_together(a, out):
    i = cuda.grid(1)
    if i < a.size:
        pull = np.float32(0)
        for j in range(a.size):
            pull += a[j] - a[i]
        out[i] += pull  # ok: neighbours-read-while-written
        a[i] += pull  # hit: neighbours-read-while-written


@cuda.jit
def shares_of_a_row(a):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    if column < a.shape[1]:
        total = np.float32(0)
        for other in range(a.shape[1]):
            total += a[row, other]
        a[row, column] /= total  # hit: neighbours-read-while-written


@cuda.jit
def shares_of_a_row_behind_a_barrier(a):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    total = np.float32(0)
    for other in range(a.shape[1]):
        total += a[row, other]
    cuda.syncthreads()
    if column < a.shape[1]:
        a[row, column] /= total  # ok: neighbours-read-while-written


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    rows = cuda.to_device(np.ones((4096, 256), dtype=np.float32))
    counts = cuda.to_device(np.ones((4096, 256), dtype=np.int32))
    keys = cuda.to_device(np.ones(n, dtype=np.int32))
    bins = cuda.to_device(np.zeros(4096, dtype=np.int32))
    everybody_adds[n // 256, 256](a, out)
    all_of_a_block_add[4096, 256](rows, out)
    each_its_own[n // 256, 256](a)
    one_thread_adds[4096, 256](rows, out)
    with_an_atomic[n // 256, 256](a, out)
    where_the_data_says[n // 256, 256](keys, bins)
    smoothed_in_place[n // 256, 256](a)
    smoothed[n // 256, 256](a, out)
    smoothed_in_steps_of_the_grid[1024, 256](a)
    cleared_for_all_blocks[n // 256, 256](keys, bins)
    cleared_for_the_block[4096, 256](keys, bins, counts)  # hit: array-without-use
    counted_in_bins[n // 256, 256](a, np.float32(0), np.float32(0.5), bins)
    counted_in_bins_of_the_thread[n // 256, 256](a, np.float32(0), np.float32(0.5), counts)
    outside_of_both_ends[n // 256, 256](keys, bins)
    drawn_together[n // 256, 256](a, out)
    rows_by_key[4096, 256](keys, counts)
    private_to_the_thread[n // 256, 256](a, out)


@cuda.jit
def smallest_without_an_atomic(a, best, place):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        value = a[i] * a[i]
        smallest = best[0]
        if value < smallest:
            best[0] = value  # hit: tested-before-stored
            place[0] = i  # ok: tested-before-stored


@cuda.jit
def depth_buffer(x, y, depth, nearest):
    i = cuda.grid(1)
    if i < x.size:
        row, column = int(y[i] // 0.5), int(x[i] // 0.5)
        if depth[i] < nearest[row, column]:
            nearest[row, column] = depth[i]  # hit: tested-before-stored


@cuda.jit
def own_smallest(a, best):
    i = cuda.grid(1)
    if i < best.size:
        for k in range(a.shape[0]):
            if a[k, i] < best[i]:
                best[i] = a[k, i]  # ok: tested-before-stored


@cuda.jit
def found_above(a, found, limit):
    i = cuda.grid(1)
    if i < a.size and a[i] > limit and found[0] < 1:
        found[0] = 1  # ok: tested-before-stored


@cuda.jit
def grey_levels(image, bins):
    column, row = cuda.grid(2)
    if row < image.shape[0] and column < image.shape[1]:
        bins[image[row, column]] += 1  # hit: unordered-data-dependent-update


def equalised(image):
    bins = cuda.to_device(np.zeros(256, dtype=np.int32))
    grid = math.ceil(image.shape[1] / 32), math.ceil(image.shape[0] / 8)
    grey_levels[grid, (32, 8)](cuda.to_device(image), bins)
    return bins.copy_to_host()


@cuda.jit
def smoothed_rows_in_place(a):
    x, y = cuda.grid(2)
    rows, columns = a.shape
    if 0 < x < columns - 1 and 0 < y < rows - 1:
        a[y, x] = 0.5 * (a[y, x - 1] + a[y, x + 1])  # hit: neighbours-read-while-written
