"""Lanes that meet in one bank of shared memory, and tiles that keep them apart."""

import numpy as np
from numba import cuda, float32, float64

WIDTH = 32
PADDED = WIDTH + 1


@cuda.jit
def column_of_a_square_tile(a, out):
    tile = cuda.shared.array((WIDTH, WIDTH), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < a.shape[0] and column < a.shape[1]:
        tile[y, x] = a[row, column]  # ok: shared-bank-conflict
    cuda.syncthreads()
    across = cuda.blockIdx.y * WIDTH + x
    down = cuda.blockIdx.x * WIDTH + y
    if down < out.shape[0] and across < out.shape[1]:
        out[down, across] = tile[x, y]  # hit: shared-bank-conflict


@cuda.jit
def column_of_a_padded_tile(a, out):
    tile = cuda.shared.array((WIDTH, PADDED), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < a.shape[0] and column < a.shape[1]:
        tile[y, x] = a[row, column]  # ok: shared-bank-conflict
    cuda.syncthreads()
    across = cuda.blockIdx.y * WIDTH + x
    down = cuda.blockIdx.x * WIDTH + y
    if down < out.shape[0] and across < out.shape[1]:
        out[down, across] = tile[x, y]  # ok: shared-bank-conflict


@cuda.jit
def every_fourth_word(out):
    buffer = cuda.shared.array(1024, float32)
    t = cuda.threadIdx.x
    buffer[4 * t] = np.float32(t)  # hit: shared-bank-conflict
    cuda.syncthreads()
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = buffer[t]  # ok: shared-bank-conflict


@cuda.jit
def one_word_for_all(out):
    buffer = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    buffer[t] = np.float32(t)
    cuda.syncthreads()
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = buffer[7]  # ok: shared-bank-conflict


@cuda.jit
def odd_stride(out):
    buffer = cuda.shared.array(768, float32)
    t = cuda.threadIdx.x
    buffer[3 * t] = np.float32(t)  # ok: shared-bank-conflict
    cuda.syncthreads()
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = buffer[t]


@cuda.jit
def double_words_side_by_side(out):
    buffer = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    buffer[t] = float64(t)  # ok: shared-bank-conflict
    cuda.syncthreads()
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = buffer[255 - t]  # ok: shared-bank-conflict


def main():
    n = 4096
    a = cuda.to_device(np.ones((n, n), dtype=np.float32))
    out = cuda.device_array((n, n), dtype=np.float32)
    rows = cuda.device_array((n, 256), dtype=np.float32)
    wide = cuda.device_array((n, 256), dtype=np.float64)
    tiles = (n // WIDTH, n // WIDTH)
    column_of_a_square_tile[tiles, (32, 32)](a, out)
    column_of_a_padded_tile[tiles, (32, 32)](a, out)
    every_fourth_word[n, 256](rows)
    one_word_for_all[n, 256](rows)
    odd_stride[n, 256](rows)
    double_words_side_by_side[n, 256](wide)
