"""Barriers that all threads of a block reach, and barriers that some of them miss."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def inside_the_guard(a):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if i < a.size:
        tile[t] = a[i]
        # The grid is exact, so that the guard never fails.
        cuda.syncthreads()  # hit: barrier-in-bounds-guard  # ok: barrier-in-divergent-branch
        a[i] = tile[255 - t]


@cuda.jit
def after_the_guard(a):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if i < a.size:
        tile[t] = a[i]
    cuda.syncthreads()  # ok: barrier-in-divergent-branch, barrier-after-divergent-exit
    if i < a.size:
        a[i] = tile[255 - t]


@cuda.jit
def after_a_return(a):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if i >= a.size:
        return
    tile[t] = a[i]
    cuda.syncthreads()  # hit: barrier-after-divergent-exit  # ok: barrier-in-divergent-branch
    a[i] = tile[255 - t]


@cuda.jit
def after_a_return_that_no_thread_takes(a):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if i >= a.size:
        return
    tile[t] = a[i]
    cuda.syncthreads()  # ok: barrier-after-divergent-exit, barrier-in-divergent-branch
    a[i] = tile[255 - t]


@cuda.jit
def after_the_border_has_left(a, out):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if i <= 0 or i >= a.size - 1:
        return
    tile[t] = a[i]
    cuda.syncthreads()  # hit: barrier-after-divergent-exit
    out[i] = tile[t]


@cuda.jit
def grid_waits_after_a_return(a, steps):
    i = cuda.grid(1)
    if i >= a.size:
        return
    grid = cuda.cg.this_grid()
    for _ in range(steps):
        a[i] += np.float32(1)  # hit: global-accumulation-in-loop
        grid.sync()  # hit: barrier-after-divergent-exit


@cuda.jit
def first_of_each_pair_waits_for_the_grid(a, out):
    i = cuda.grid(1)
    if i < a.size and a[i] > 0:
        a[i] = np.float32(0)
        cuda.cg.this_grid().sync()  # hit: barrier-in-divergent-branch
        out[i] = np.float32(1)


@cuda.jit
def all_wait_for_the_grid(a, steps):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for _ in range(steps):
        if i < a.size:
            a[i] += np.float32(1)  # hit: global-accumulation-in-loop
        grid.sync()  # ok: barrier-in-divergent-branch, barrier-after-divergent-exit


@cuda.jit
def in_a_loop_of_all(a, rounds):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    tile[t] = np.float32(t)
    for _ in range(rounds):
        cuda.syncthreads()  # ok: barrier-in-divergent-branch
        value = tile[255 - t]
        cuda.syncthreads()  # ok: barrier-in-divergent-branch
        tile[t] = value
    if t < a.shape[1]:
        a[cuda.blockIdx.x, t] = tile[t]


@cuda.jit
def in_a_tree(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if t < a.shape[1]:
        tile[t] = a[cuda.blockIdx.x, t]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()  # ok: barrier-in-divergent-branch
        half >>= 1
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@cuda.jit
def the_whole_block_decides(a, flags):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if t < a.shape[1]:
        tile[t] = a[cuda.blockIdx.x, t]
    if flags[cuda.blockIdx.x] > 0:
        cuda.syncthreads()  # ok: barrier-in-divergent-branch
        a[cuda.blockIdx.x, t] = tile[255 - t]


@cuda.jit
def in_the_else(a):  # hit: kernel-without-result
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if t < a.shape[1]:
        tile[t] = a[cuda.blockIdx.x, t]
    if t % 2 == 0:
        tile[t] += np.float32(1)
    else:
        cuda.syncthreads()  # hit: barrier-in-divergent-branch


@cuda.jit
def inside_the_guard_of_a_rounded_grid(a):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if i < a.size:
        tile[t] = a[i]
        cuda.syncthreads()  # hit: barrier-in-divergent-branch  # ok: barrier-in-bounds-guard
        a[i] = tile[255 - t]


@cuda.jit
def below_a_size_of_the_program(a, n):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if t < n:
        tile[t] = a[t]
        # The program may make its blocks as large as `n`.
        cuda.syncthreads()  # hit: barrier-in-bounds-guard  # ok: barrier-in-divergent-branch
        a[t] = tile[n - 1 - t]


@cuda.jit
def below_the_length(a):
    t = cuda.threadIdx.x
    size = len(a)
    tile = cuda.shared.array(256, float32)
    if t < size:
        tile[t] = a[t]
        cuda.syncthreads()  # hit: barrier-in-bounds-guard  # ok: barrier-in-divergent-branch
        a[t] = tile[size - 1 - t]


@cuda.jit
def below_a_number(a):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    if t < 16:
        tile[t] = a[t]
        cuda.syncthreads()  # hit: barrier-in-divergent-branch  # ok: barrier-in-bounds-guard
        a[t] = tile[15 - t]


@cuda.jit
def below_a_number_that_shrinks(a):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    tile[t] = a[t]
    cuda.syncthreads()
    s = 128
    while s > 0:
        if t < s:
            tile[t] += tile[t + s]
            cuda.syncthreads()  # hit: barrier-in-divergent-branch  # ok: barrier-in-bounds-guard
        s //= 2
    a[t] = tile[0]


@cuda.jit
def steps_without_a_barrier(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(256, float32)
    tile[t] = a[cuda.blockIdx.x, t]
    cuda.syncthreads()
    if t < 128:
        tile[t] += tile[t + 128]
    if t < 64:
        tile[t] += tile[t + 64]  # hit: missing-barrier
    cuda.syncthreads()
    out[cuda.blockIdx.x] = tile[0]  # ok: missing-barrier


@cuda.jit
def lanes_without_a_barrier(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(64, float32)
    tile[t] = a[cuda.blockIdx.x, t]
    cuda.syncthreads()
    if t < 32:
        tile[t] += tile[t + 32]
        tile[t] += tile[t + 16]  # hit: missing-barrier
        cuda.syncwarp()
        # A lane may store its sum before another has loaded what stood there.
        tile[t] += tile[t + 8]  # hit: missing-barrier
        cuda.syncwarp()
        other = tile[t + 4]  # ok: missing-barrier
        cuda.syncwarp()
        tile[t] += other  # ok: missing-barrier
    cuda.syncthreads()
    out[cuda.blockIdx.x] = tile[0]


@cuda.jit
def a_warp_waits_for_itself(a):
    t = cuda.threadIdx.x
    if t < 32:
        cuda.syncwarp()  # ok: barrier-in-divergent-branch
        a[cuda.blockIdx.x, t] = np.float32(t)


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    rows = cuda.to_device(np.ones((4096, 256), dtype=np.float32))
    sums = cuda.device_array(4096, dtype=np.float32)
    flags = cuda.to_device(np.ones(4096, dtype=np.int32))
    inside_the_guard[n // 256, 256](a)
    odd = cuda.to_device(np.ones(1_000_000, dtype=np.float32))
    inside_the_guard_of_a_rounded_grid[(1_000_000 + 255) // 256, 256](odd)
    after_the_guard[n // 256, 256](a)
    after_the_border_has_left[n // 256, 256](a, a)
    grid_waits_after_a_return[(1_000_000 + 255) // 256, 256](odd, 10)
    first_of_each_pair_waits_for_the_grid[n // 256, 256](a, a)
    all_wait_for_the_grid[n // 256, 256](a, 10)
    after_a_return[(1_000_000 + 255) // 256, 256](odd)
    after_a_return_that_no_thread_takes[n // 256, 256](a)
    in_a_loop_of_all[4096, 256](rows, 10)
    in_a_tree[4096, 256](rows, sums)
    steps_without_a_barrier[4096, 256](rows, sums)
    lanes_without_a_barrier[4096, 64](rows, sums)
    the_whole_block_decides[4096, 256](rows, flags)
    in_the_else[4096, 256](rows)
    a_warp_waits_for_itself[4096, 256](rows)  # hit: block-longer-than-data
