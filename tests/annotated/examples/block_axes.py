"""Blocks with threads along an axis that the kernel does not use, and kernels that use each axis."""

import numpy as np
from numba import cuda


@cuda.jit
def rows_by_y(x, out):
    row = cuda.blockIdx.x
    _, first = cuda.grid(2)
    for j in range(first, x.shape[1], cuda.gridsize(2)[1]):
        out[row, j] = 2 * x[row, j]


@cuda.jit
def rows_by_x(x, out):
    row = cuda.blockIdx.y
    for j in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[row, j] = 2 * x[row, j]


@cuda.jit
def added_by_all(x, out):
    row = cuda.blockIdx.x
    _, j = cuda.grid(2)
    if j < x.shape[1]:
        cuda.atomic.add(out, (row, j), x[row, j])  # hit: contended-atomic


@cuda.jit
def only_where_x_is_small(x, out, n):
    i, j = cuda.grid(2)
    if i < n and j < x.shape[0]:
        out[j] = x[j]


def launches(n):
    x = cuda.device_array((n, n), dtype=np.float32)
    rows_by_y[(n, 4), 256](x, x)  # hit: block-axis-without-use
    rows_by_y[(n, 4), (32, 8)](x, x)  # hit: block-axis-without-use
    rows_by_y[(n, 4), (1, 256)](x, x)  # ok: block-axis-without-use
    rows_by_x[(1, n), 256](x, x)  # ok: block-axis-without-use
    rows_by_x[(1, n), (32, 8)](x, x)  # hit: block-axis-without-use
    # Each thread adds: the sum is as many times as large, perhaps on purpose.
    added_by_all[(n, 4), 256](x, x)  # ok: block-axis-without-use  # hit: grid-of-fixed-size
    only_where_x_is_small[(n, 4), (32, 8)](  # ok: block-axis-without-use  # hit: grid-larger-than-data
        x[0], x[1], n
    )
