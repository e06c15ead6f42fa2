"""The lane axis along a slow axis of an array, and along the fast one."""

import numpy as np
from numba import cuda


@cuda.jit
def x_is_the_row(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        value = a[i, j]  # hit: transposed-index  # ok: transpose-without-tile
        out[i, j] = value  # hit: transposed-index  # ok: uncoalesced-access


@cuda.jit
def x_is_the_column(a, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        value = a[i, j]  # ok: transposed-index, uncoalesced-access
        out[i, j] = value  # ok: transposed-index


@cuda.jit
def one_row_of_threads(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j]  # ok: transposed-index


@cuda.jit
def written_out(a, out):
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < a.shape[0] and column < a.shape[1]:
        value = a[row, column]  # ok: transposed-index
        out[column, row] = value  # hit: transpose-without-tile  # ok: transposed-index


@cuda.jit
def last_of_three(a):
    x, y, z = cuda.grid(3)
    if x < a.shape[2] and y < a.shape[1] and z < a.shape[0]:
        a[z, y, x] = np.float32(1)  # ok: transposed-index


@cuda.jit
def first_of_three(a):
    x, y, z = cuda.grid(3)
    if x < a.shape[0] and y < a.shape[1] and z < a.shape[2]:
        a[x, y, z] = np.float32(1)  # hit: transposed-index


@cuda.jit
def launched_by_others(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        value = a[i, j]  # hit: transposed-index
        out[i, j] = value  # hit: transposed-index


@cuda.jit
def column_first_launched_by_others(a, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        value = a[i, j]  # ok: transposed-index
        out[i, j] = value  # ok: transposed-index


@cuda.jit
def doubles_in_square_blocks(a, out):
    i, j = cuda.grid(2)
    if 0 < i < out.shape[0] - 1 and 0 < j < out.shape[1] - 1:
        value = a[i - 1, j] + a[i + 1, j]  # hit: transposed-index
        out[i, j] = value + a[i, j - 1] + a[i, j + 1]  # hit: transposed-index


@cuda.jit
def doubles_in_blocks_of_four_columns(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j]  # ok: transposed-index


@cuda.jit
def threads_along_one_axis(a, out):
    i, j = cuda.grid(2)
    rows, columns = cuda.gridsize(2)
    for row in range(i, a.shape[0], rows):
        for column in range(j, a.shape[1], columns):
            value = a[row, column]  # hit: uncoalesced-access  # ok: transposed-index
            out[row, column] = value  # hit: uncoalesced-access  # ok: transposed-index


@cuda.jit
def threads_along_both_axes(a, out):
    i, j = cuda.grid(2)
    rows, columns = cuda.gridsize(2)
    for row in range(i, a.shape[0], rows):
        for column in range(j, a.shape[1], columns):
            value = a[row, column]  # hit: transposed-index  # ok: uncoalesced-access
            out[row, column] = value  # hit: transposed-index  # ok: uncoalesced-access


@cuda.jit
def blocks_along_the_other_axis(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        value = a[i, j]  # hit: transposed-index  # ok: uncoalesced-access
        out[i, j] = value  # hit: transposed-index  # ok: uncoalesced-access


def main():
    n = 4096
    a = cuda.to_device(np.ones((n, n), dtype=np.float32))
    out = cuda.device_array((n, n), dtype=np.float32)
    volume = cuda.device_array((256, 256, 256), dtype=np.float32)
    square = (n // 16, n // 16)
    x_is_the_row[square, (16, 16)](a, out)
    x_is_the_column[square, (16, 16)](a, out)
    one_row_of_threads[(n, n // 256), (1, 256)](a, out)
    written_out[square, (16, 16)](a, out)
    last_of_three[(8, 64, 64), (32, 4, 4)](volume)
    first_of_three[(8, 64, 64), (32, 4, 4)](volume)
    doubles, more_doubles = cuda.device_array((n, n)), cuda.device_array((n, n))
    doubles_in_square_blocks[(n // 16, n // 16), (16, 16)](doubles, more_doubles)
    doubles_in_blocks_of_four_columns[(n // 4, n // 32), (4, 32)](doubles, more_doubles)
    tall, more_tall = (cuda.device_array((1 << 20, 64), dtype=np.float32) for _ in range(2))
    threads_along_one_axis[4096, 256](tall, more_tall)
    threads_along_both_axes[(n // 32, n // 32), (32, 8)](a, out)
    blocks_along_the_other_axis[(n // 256, n), (256, 1)](a, out)
