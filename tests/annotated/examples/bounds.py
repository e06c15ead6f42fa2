"""Whether something keeps the last threads of the grid inside the array."""

import numpy as np
from numba import cuda


@cuda.jit
def unguarded(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # hit: missing-bounds-check


@cuda.jit
def unguarded_by_hand(a):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    a[i] += np.float32(1)  # hit: missing-bounds-check


@cuda.jit
def exact_fit(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # hit: unchecked-index  # ok: missing-bounds-check


@cuda.jit
def exact_fit_rounded_up(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # hit: unchecked-index  # ok: missing-bounds-check


@cuda.jit
def guarded_by_if(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        out[i] = a[i]  # ok: missing-bounds-check, unchecked-index


@cuda.jit
def guarded_by_return(a, out):
    i = cuda.grid(1)
    if i >= a.size:
        return
    out[i] = a[i]  # ok: missing-bounds-check


@cuda.jit
def guarded_by_grid_stride(a, out):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = a[i]  # ok: missing-bounds-check


@cuda.jit
def guarded_by_while(a, out):
    i = cuda.grid(1)
    while i < a.size:
        out[i] = a[i]  # ok: missing-bounds-check
        i += cuda.gridsize(1)


@cuda.jit
def guarded_through_a_name(a, out):
    i = cuda.grid(1)
    inside = i < a.size
    if inside:
        out[i] = a[i]  # ok: missing-bounds-check


@cuda.jit
def guarded_in_one_of_two_axes(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        out[y, x] = a[y, x]  # ok: missing-bounds-check


@cuda.jit
def neighbours_below_the_own_guard(a, out):
    i = cuda.grid(1)
    if i > 0 and i < a.shape[0]:
        out[i] = a[i - 1] + a[i + 1]  # hit: index-past-guard


@cuda.jit
def neighbours_of_the_inner_part(a, out):
    i = cuda.grid(1)
    if i > 0 and i < a.shape[0] - 1:
        out[i] = a[i - 1] + a[i + 1]  # ok: index-past-guard


@cuda.jit
def neighbours_without_a_guard(a, out):
    i = cuda.grid(1)
    out[i] = a[i - 1] + a[i + 1]  # hit: neighbours-without-guard, missing-bounds-check


@cuda.jit
def neighbours_of_a_ring(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[(i - 1) % a.size] + a[(i + 1) % a.size]  # ok: neighbours-without-guard


@cuda.jit
def window_below_the_own_guard(a, out):
    i = cuda.grid(1)
    if i > 0 and i < a.shape[0]:
        total = np.float32(0)
        for k in range(-1, 2):
            total += a[i + k]  # hit: index-past-guard  # hit: window-read-by-neighbours
        out[i] = total


@cuda.jit
def window_with_its_own_guard(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        total = np.float32(0)
        for k in range(-1, 2):
            if i + k >= 0 and i + k < a.shape[0]:
                total += a[i + k]  # ok: index-past-guard  # hit: window-read-by-neighbours
        out[i] = total


@cuda.jit
def guard_that_lets_the_size_through(a, out):
    i = cuda.grid(1)
    if i <= out.shape[0]:
        out[i] = a[0]  # hit: guard-lets-size-through  # ok: index-past-guard


@cuda.jit
def exit_past_the_size_alone(a, out):
    i = cuda.grid(1)
    if i > out.shape[0]:
        return
    out[i] = a[0]  # hit: guard-lets-size-through


@cuda.jit
def indices_from_one(a, out):
    i = cuda.grid(1)
    if i > 0 and i <= out.shape[0]:
        out[i - 1] = a[0]  # ok: guard-lets-size-through, index-past-guard


@cuda.jit
def next_element_asked_for_as_the_own(flags, n):
    i = cuda.grid(1)
    if i < n:
        flags[i] = 1
        if i < n:  # hit: guard-asked-before
            cuda.atomic.add(flags, i + 1, 1)


@cuda.jit
def next_element_asked_for(flags, n):
    i = cuda.grid(1)
    if i < n:
        flags[i] = 1
        if i + 1 < n:  # ok: guard-asked-before
            cuda.atomic.add(flags, i + 1, 1)


@cuda.jit
def flag_that_is_compared(flags, out):
    i = cuda.grid(1)
    if i < flags.size:
        if flags[i] == 1:  # ok: comparison-without-effect
            flags[i] == 0  # hit: comparison-without-effect  # noqa: B015
        out[i] = flags[i] == 1  # ok: comparison-without-effect


@cuda.jit
def exit_that_one_axis_prevents(a, out):
    x, y = cuda.grid(2)
    if x >= out.shape[1] and y >= out.shape[0]:  # hit: guard-of-one-axis-only
        return
    out[y, x] = a[y, x]  # ok: missing-bounds-check, unchecked-index


@cuda.jit
def entered_along_one_axis(a, out):
    x, y = cuda.grid(2)
    if x < out.shape[1] or y < out.shape[0]:  # hit: guard-of-one-axis-only
        out[y, x] = a[y, x]  # ok: missing-bounds-check


@cuda.jit
def exit_along_each_axis(a, out):
    x, y = cuda.grid(2)
    if x >= out.shape[1] or y >= out.shape[0]:  # ok: guard-of-one-axis-only
        return
    out[y, x] = a[y, x]  # ok: missing-bounds-check


@cuda.jit
def early_exit_of_far_threads(a, out):
    x, y = cuda.grid(2)
    if x >= out.shape[1] and y >= out.shape[0]:  # ok: guard-of-one-axis-only
        return
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = a[y, x]  # ok: missing-bounds-check


@cuda.jit
def a_row_or_a_column(rows, columns):
    x, y = cuda.grid(2)
    if x < rows.shape[0] or y < columns.shape[0]:  # ok: guard-of-one-axis-only
        if x < rows.shape[0]:
            rows[x] = np.float32(0)
        if y < columns.shape[0]:
            columns[y] = np.float32(0)


@cuda.jit
def a_state_for_each_thread(states, out):
    i = cuda.grid(1)
    states[i] += np.float32(1)  # hit: unchecked-index
    if i < out.size:
        out[i] = states[i]


@cuda.jit
def index_inside_the_block(out):
    t = cuda.threadIdx.x
    out[t] = np.float32(t)  # ok: missing-bounds-check


@cuda.jit
def a_block_for_each_row(out):
    out[cuda.blockIdx.x] = np.float32(2)  # ok: missing-bounds-check


@cuda.jit
def rounded_along_the_axis_with_a_guard(rows, image):
    i, j = cuda.grid(2)
    if j < image.shape[1]:
        image[i, j] = rows[i]  # ok: missing-bounds-check, unchecked-index


@cuda.jit
def rounded_along_the_axis_without_a_guard(rows, image):
    j, i = cuda.grid(2)
    if i < image.shape[0]:
        image[i, j] = rows[i]  # hit: missing-bounds-check


@cuda.jit
def rest_of_a_division(image, bias):
    x, z = cuda.grid(2)
    if x < image.shape[1] and z < image.shape[0]:
        image[z, x] += bias[z % bias.shape[0]]  # ok: missing-bounds-check, unchecked-index


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    image = cuda.device_array((4096, 4096), dtype=np.float32)
    side = cuda.device_array(4096, dtype=np.float32)
    blocks = (n + 255) // 256
    m = 1_000_000
    odd = cuda.to_device(np.ones(m, dtype=np.float32))
    odd_out = cuda.device_array(m, dtype=np.float32)
    unguarded[(m + 255) // 256, 256](odd, out)
    unguarded_by_hand[(m + 255) // 256, 256](odd)
    exact_fit_rounded_up[blocks, 256](a, out)
    exact_fit[n // 256, 256](a, out)
    guarded_by_if[blocks, 256](a, out)
    guarded_by_return[blocks, 256](a, out)
    guarded_by_grid_stride[blocks, 256](a, out)
    guarded_by_while[blocks, 256](a, out)
    guarded_through_a_name[blocks, 256](a, out)
    guarded_in_one_of_two_axes[(256, 256), (16, 16)](image, image)
    neighbours_below_the_own_guard[blocks, 256](a, out)
    neighbours_of_the_inner_part[blocks, 256](a, out)
    neighbours_without_a_guard[(m + 255) // 256, 256](odd, odd_out)
    neighbours_of_a_ring[blocks, 256](a, out)
    window_below_the_own_guard[blocks, 256](a, out)
    guard_that_lets_the_size_through[blocks + 1, 256](a, out)
    exit_past_the_size_alone[blocks + 1, 256](a, out)
    indices_from_one[blocks + 1, 256](a, out)
    flags = cuda.device_array(n, dtype=np.int32)
    next_element_asked_for_as_the_own[blocks, 256](flags, n)
    flag_that_is_compared[blocks, 256](flags, out)
    next_element_asked_for[blocks, 256](flags, n)
    exit_that_one_axis_prevents[(256, 256), (16, 16)](image, image)
    entered_along_one_axis[(256, 256), (16, 16)](image, image)
    exit_along_each_axis[(256, 256), (16, 16)](image, image)
    early_exit_of_far_threads[(256, 256), (16, 16)](image, image)
    a_row_or_a_column[(256, 256), (16, 16)](side, side)
    window_with_its_own_guard[blocks, 256](a, out)
    half = n // 512
    # As many as there are threads, and so told of at the lowest level only.
    states = cuda.device_array(half * 256, dtype=np.float32)
    a_state_for_each_thread[half, 256](states, out)  # hit: elements-without-thread
    index_inside_the_block[blocks, 256](out)
    a_block_for_each_row[n, 64](out)  # hit: block-axis-without-use
    rounded_along_the_axis_with_a_guard[(m, (n + 255) // 256), (1, 256)](  # hit: grid-larger-than-data
        odd, image
    )
    rounded_along_the_axis_without_a_guard[((m + 255) // 256, 4096), (256, 1)](odd, image)
    rest_of_a_division[((m + 255) // 256, 4096), (256, 1)](  # hit: fusable-launches, grid-larger-than-data
        image, side
    )
