"""Kernels that use elements of global memory from several blocks, 4 of 64 threads; `# hit:` where they race.

`x` are 1, 2, … 256 and `y` are zeros, `n` are zeros too.
"""

from __future__ import annotations

from numba import cuda, float32, int32

# Wrong


def left_neighbour_in_place(x, y, n):
    i = cuda.grid(1)
    if i > 0:
        x[i] = x[i] + x[i - 1]  # hit: global_race


def both_halves_swap(x, y, n):
    i = cuda.grid(1)
    left = x[i]  # hit: global_race
    x[i] = x[255 - i]  # hit: global_race
    x[255 - i] = left  # hit: global_race


def last_one_wins(x, y, n):
    y[0] = cuda.grid(1)  # hit: global_race


def a_sum_without_atomics(x, y, n):
    y[cuda.threadIdx.x] += x[cuda.grid(1)]  # hit: global_race


def sums_of_blocks_before(x, y, n):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        y[b] = x[cuda.grid(1)]
        before = float32(0)
        for k in range(b):
            before += y[k]  # hit: global_race
        y[128 + b] = before


def scratch_of_the_block_without_a_barrier(x, y, n):
    i, t = cuda.grid(1), cuda.threadIdx.x
    y[i] = x[i]  # hit: global_race
    x[i] = y[i - t + 63 - t]  # hit: global_race


def set_to_zero_by_the_first_thread(x, y, n):
    i = cuda.grid(1)
    if i == 0:
        y[0] = 0
    cuda.atomic.add(y, 0, x[i])  # hit: atomic_race


def read_while_others_add(x, y, n):
    i = cuda.grid(1)
    cuda.atomic.add(y, 0, x[i])  # hit: atomic_race
    x[i] = y[0]  # hit: atomic_race


def some_add_plainly(x, y, n):
    i = cuda.grid(1)
    if cuda.blockIdx.x == 0:
        y[cuda.threadIdx.x] += x[i]
    else:
        cuda.atomic.add(y, cuda.threadIdx.x, x[i])  # hit: atomic_race


def a_place_that_is_read_first(x, y, n):
    if cuda.threadIdx.x == 0:
        place = n[0]  # hit: atomic_race
        cuda.atomic.add(n, 0, 1)  # hit: atomic_race
        y[place] = cuda.blockIdx.x


def last_block_without_a_fence(x, y, n):
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        y[cuda.blockIdx.x] = x[cuda.grid(1)]
        last[0] = cuda.atomic.add(n, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        for k in range(cuda.gridDim.x):
            y[128] += y[k]  # hit: unfenced


def a_lock_without_fences(x, y, n):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(n, 0, 0, 1) != 0:
            pass
        y[0] += x[cuda.grid(1)]  # hit: unfenced
        cuda.atomic.exch(n, 0, 0)


# Right


def each_its_own(x, y, n):
    i = cuda.grid(1)
    x[i] = 2 * x[i]
    y[i] += x[i]


def neighbours_to_another_array(x, y, n):
    i = cuda.grid(1)
    y[i] = x[max(i - 1, 0)] + x[min(i + 1, 255)]


def each_pair_swapped_once(x, y, n):
    i = cuda.grid(1)
    if i < 128:
        left = x[i]
        x[i] = x[255 - i]
        x[255 - i] = left


def scratch_of_the_block(x, y, n):
    i, t = cuda.grid(1), cuda.threadIdx.x
    y[i] = x[i]
    cuda.syncthreads()
    x[i] = y[i - t + 63 - t]


def scratch_of_the_warp(x, y, n):
    i = cuda.grid(1)
    y[i] = x[i]
    cuda.syncwarp()
    x[i] = y[i ^ 1]


def one_value_by_all(x, y, n):
    y[0] = 7


def equal_sums_by_all(x, y, n):
    y[1] = x[0] + x[1]


def a_flag_that_all_may_set(x, y, n):
    i = cuda.grid(1)
    if n[0] == 0 and x[i] > 100:
        n[0] = 1


def levels_of_a_search(x, y, n):
    i = cuda.grid(1)
    for k in range(4):
        near = (i * 7 + k) % 256
        if y[near] == 0:
            y[near] = 3
            n[5] = 1


def all_add_atomically(x, y, n):
    i = cuda.grid(1)
    cuda.atomic.add(y, i % 8, x[i])
    cuda.atomic.max(y, 8, x[i])


def a_look_before_the_maximum(x, y, n):
    i = cuda.grid(1)
    if x[i] > y[0]:
        cuda.atomic.max(y, 0, x[i])


def an_atomic_product(x, y, n):
    i = cuda.grid(1)
    old = n[0]
    while True:
        seen = cuda.atomic.cas(n, 0, old, old * 3 + i)
        if seen == old:
            break
        old = seen


def the_last_resets_the_counter(x, y, n):
    if cuda.threadIdx.x == 0 and cuda.atomic.add(n, 0, 1) == cuda.gridDim.x - 1:
        n[0] = 0


def last_block(x, y, n):
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        y[cuda.blockIdx.x] = x[cuda.grid(1)]
        cuda.threadfence()
        last[0] = cuda.atomic.add(n, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        cuda.threadfence()
        for k in range(cuda.gridDim.x):
            y[128] += y[k]


def a_lock(x, y, n):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(n, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        y[0] += x[cuda.grid(1)]
        cuda.threadfence()
        cuda.atomic.exch(n, 0, 0)


def one_sum_for_each_block(x, y, n):
    t = cuda.threadIdx.x
    if t == 0:
        y[cuda.blockIdx.x] = 0
    cuda.syncthreads()
    cuda.atomic.add(y, cuda.blockIdx.x, x[cuda.grid(1)])
    cuda.syncthreads()
    if t == 0:
        y[128 + cuda.blockIdx.x] = y[cuda.blockIdx.x]


WRONG = (
    left_neighbour_in_place, both_halves_swap, last_one_wins, a_sum_without_atomics, sums_of_blocks_before,
    scratch_of_the_block_without_a_barrier, set_to_zero_by_the_first_thread, read_while_others_add,
    some_add_plainly, a_place_that_is_read_first, last_block_without_a_fence, a_lock_without_fences,
)  # fmt: skip
RIGHT = (
    each_its_own, neighbours_to_another_array, each_pair_swapped_once, scratch_of_the_block,
    scratch_of_the_warp, one_value_by_all, equal_sums_by_all, a_flag_that_all_may_set, levels_of_a_search,
    all_add_atomically, a_look_before_the_maximum, an_atomic_product, the_last_resets_the_counter, last_block,
    a_lock, one_sum_for_each_block,
)  # fmt: skip
