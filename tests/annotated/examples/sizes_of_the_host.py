"""Sizes that the host code fixes, chooses between, or takes from the data: blocks, and rows of arrays."""

import math
from math import ceil

import numpy as np
from numba import cuda


def half_of_a_block(shape):
    if isinstance(shape, int):
        shape = (shape,)
    most = cuda.get_current_device().MAX_THREADS_PER_BLOCK
    side = int(ceil(most / 2.0) ** (1.0 / len(shape)))
    return tuple(ceil(size / side) for size in shape), (side,) * len(shape)


@cuda.jit
def fill_image(a):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        a[y, x] = np.float32(1)


@cuda.jit
def fill(a, n):
    i = cuda.grid(1)
    if i < n:
        a[i] = np.float32(1)


@cuda.jit
def best(found, a):
    i = cuda.grid(1)
    if i < a.size and a[i] < found[i, -1]:  # ok: uncoalesced-access
        found[i, -1] = a[i]  # ok: uncoalesced-access


@cuda.jit
def best_of_many(found, a):
    i = cuda.grid(1)
    if i < a.size and a[i] < found[i, -1]:  # hit: uncoalesced-access
        found[i, -1] = a[i]  # hit: uncoalesced-access


def image(a):
    blocks, threads = half_of_a_block(a.shape)
    fill_image[blocks, threads](a)  # hit: block-not-warp-multiple, grid-exchanges-axes


def line(a):
    blocks, threads = half_of_a_block(a.size)
    fill[blocks, threads](a, a.size)  # ok: block-not-warp-multiple, block-too-small


def little_data(a, n):
    threads = 1024
    if n < 4096:
        threads = 1
    fill[(n + threads - 1) // threads, threads](a, n)  # hit: small-block-in-a-branch  # ok: block-too-small


def more_data(a, n):
    threads = 1024
    if n < 4096:
        threads = 128
    fill[(n + threads - 1) // threads, threads](a, n)  # ok: small-block-in-a-branch


class Labels:
    def __init__(self, longest, threads):
        self.longest = longest
        self.threads = threads

    def by_length(self, a):
        fill[4096, self.longest](a, self.longest)  # hit: block-size-follows-data

    def by_threads(self, a):
        fill[4096, self.threads](a, self.threads)  # ok: block-size-follows-data


def top(n, k=1):
    found = cuda.to_device(np.full((n, k), np.inf, dtype=np.float32))
    a = cuda.device_array(n, dtype=np.float32)
    best[(n + 127) // 128, 128](found, a)


def top_sixteen(n, k=16):
    found = cuda.to_device(np.full((n, k), np.inf, dtype=np.float32))
    a = cuda.device_array(n, dtype=np.float32)
    best_of_many[(n + 127) // 128, 128](found, a)


def transposed(a, n):
    out = cuda.device_array((n, n), dtype=np.float32)
    most = cuda.get_current_device().MAX_THREADS_PER_BLOCK
    side = int(math.pow(2, math.log(most, 2) / 2))
    padded, bare = (side, side + 1), (side, side)

    @cuda.jit
    def through_padded_tile(given, turned):  # hit: kernel-defined-in-function
        tile = cuda.shared.array(shape=padded, dtype=np.float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.blockIdx.x * cuda.blockDim.x, cuda.blockIdx.y * cuda.blockDim.y
        if row + y < given.shape[0] and column + x < given.shape[1]:
            tile[y, x] = given[row + y, column + x]  # ok: shared-bank-conflict
        cuda.syncthreads()
        if column + y < turned.shape[0] and row + x < turned.shape[1]:
            turned[column + y, row + x] = tile[x, y]  # ok: shared-bank-conflict

    @cuda.jit
    def through_bare_tile(given, turned):  # hit: kernel-defined-in-function
        tile = cuda.shared.array(shape=bare, dtype=np.float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.blockIdx.x * cuda.blockDim.x, cuda.blockIdx.y * cuda.blockDim.y
        if row + y < given.shape[0] and column + x < given.shape[1]:
            tile[y, x] = given[row + y, column + x]  # ok: shared-bank-conflict
        cuda.syncthreads()
        if column + y < turned.shape[0] and row + x < turned.shape[1]:
            turned[column + y, row + x] = tile[x, y]  # hit: shared-bank-conflict

    blocks = (n + side - 1) // side, (n + side - 1) // side
    through_padded_tile[blocks, (side, side)](a, out)
    through_bare_tile[blocks, (side, side)](a, out)
    return out
