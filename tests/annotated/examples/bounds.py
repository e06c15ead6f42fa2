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
def index_inside_the_block(out):
    t = cuda.threadIdx.x
    out[t] = np.float32(t)  # ok: missing-bounds-check


@cuda.jit
def a_block_for_each_row(out):
    out[cuda.blockIdx.x] = np.float32(2)  # ok: missing-bounds-check


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    image = cuda.device_array((4096, 4096), dtype=np.float32)
    blocks = (n + 255) // 256
    m = 1_000_000
    odd = cuda.to_device(np.ones(m, dtype=np.float32))
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
    index_inside_the_block[blocks, 256](out)
    a_block_for_each_row[n, 64](out)
