"""Neighbouring lanes far apart: rows for each thread, strides, records; and the forms that are fine."""

import numpy as np
from numba import cuda


@cuda.jit
def row_for_each_thread(points, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(64):
            total += points[i, k]  # hit: uncoalesced-access
        out[i] = total  # ok: uncoalesced-access


@cuda.jit
def row_for_each_block(points, out):
    row = cuda.blockIdx.x
    k = cuda.threadIdx.x
    if k < points.shape[1]:
        out[row, k] = points[row, k]  # ok: uncoalesced-access, transposed-index


@cuda.jit
def every_eighth(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[8 * i]  # hit: uncoalesced-access


@cuda.jit
def shifted(a, out):
    i = cuda.grid(1)
    if i + 1 < out.size:
        out[i] = a[i + 1]  # ok: uncoalesced-access


@cuda.jit
def strided_by_the_grid(a, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = a[i]  # ok: uncoalesced-access, missing-bounds-check


@cuda.jit
def record_used_at_once(points, out):
    i = cuda.grid(1)
    if i < out.size:
        x = points[i, 0]  # ok: uncoalesced-access
        y = points[i, 1]  # ok: uncoalesced-access
        z = points[i, 2]  # ok: uncoalesced-access
        out[i] = x + y + z


@cuda.jit
def the_same_for_all(table, a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + table[3]  # ok: uncoalesced-access


@cuda.jit
def one_thread_only(a, out):  # hit: one-thread-works
    if cuda.threadIdx.x == 0:
        out[64 * cuda.blockIdx.x] = a[64 * cuda.blockIdx.x]  # ok: uncoalesced-access


def main():
    n = 1 << 20
    points = cuda.to_device(np.ones((n, 64), dtype=np.float32))
    triples = cuda.to_device(np.ones((n, 3), dtype=np.float32))
    wide = cuda.to_device(np.ones(8 * n, dtype=np.float32))
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    rows = cuda.device_array((n, 64), dtype=np.float32)
    blocks = n // 256
    row_for_each_thread[blocks, 256](points, out)
    row_for_each_block[n, 64](points, rows)
    every_eighth[blocks, 256](wide, out)
    shifted[blocks, 256](a, out)
    strided_by_the_grid[blocks, 256](a, out)
    record_used_at_once[blocks, 256](triples, out)
    the_same_for_all[blocks, 256](a, a, out)
    one_thread_only[blocks, 256](wide, wide)
