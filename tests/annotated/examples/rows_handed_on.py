"""Rows that a kernel hands to a device function: whose they are, and how long."""

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def total(row):
    result = np.float32(0)
    for j in range(row.shape[0]):
        result += row[j]  # ok: uncoalesced-access
    return result


@cuda.jit(device=True)
def length_squared(point):
    return point[0] * point[0] + point[1] * point[1] + point[2] * point[2]


@cuda.jit(device=True)
def together(row, lane):
    result = np.float32(0)
    for j in range(lane, row.shape[0], 32):
        result += row[j]  # ok: uncoalesced-access
    return result


@cuda.jit
def rows(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = total(a[i])  # hit: row-for-each-thread


@cuda.jit
def slices(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = total(a[i, :])  # hit: row-for-each-thread


@cuda.jit
def columns(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = total(a[:, i])  # ok: row-for-each-thread


@cuda.jit
def points(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = length_squared(a[i])  # ok: row-for-each-thread, uncoalesced-access


@cuda.jit
def one_row_for_all(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = total(a[0])  # ok: row-for-each-thread


@cuda.jit
def a_row_for_each_block(a, out):
    lane = cuda.threadIdx.x
    out[cuda.blockIdx.x, lane] = together(a[cuda.blockIdx.x], lane)  # ok: row-for-each-thread


def main(n):
    a = cuda.device_array((n, 1000), dtype=np.float32)
    out = cuda.device_array(n, dtype=np.float32)
    triples = cuda.device_array((n, 3), dtype=np.float32)
    lanes = cuda.device_array((n, 32), dtype=np.float32)
    rows[(n + 127) // 128, 128](a, out)
    slices[(n + 127) // 128, 128](a, out)
    columns[(n + 127) // 128, 128](a, out)
    points[(n + 127) // 128, 128](triples, out)
    one_row_for_all[(n + 127) // 128, 128](a, out)
    a_row_for_each_block[n, 64](a, lanes)


@cuda.jit(device=True)
def product_of_multivectors(a, b, out):
    out[0] = a[0] * b[0] + a[1] * b[1] - a[2] * b[2] + a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] + a[2] * b[0] + a[31] * b[1] - a[30] * b[3]
    out[31] = a[4] * b[5] + a[5] * b[4] + a[6] * b[7] - a[7] * b[6]


@cuda.jit
def rows_of_more_than_the_cache_holds(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        product_of_multivectors(a[i, :], b[i, :], out[i, :])  # hit: row-for-each-thread


@cuda.jit(device=True)
def length_of_four(v):
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]


@cuda.jit
def rows_that_serve_again(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = length_of_four(a[i])  # ok: row-for-each-thread
