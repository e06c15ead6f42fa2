"""Kernels in which only one thread of a block has something to do."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def reset(a, start, done):  # hit: one-thread-works
    block = cuda.blockIdx.x
    if cuda.threadIdx.x == 0 and done[block] > 0:
        a[block] = start[block]


@cuda.jit
def leaves_early(a, start):  # hit: one-thread-works
    if cuda.threadIdx.x != 0:
        return
    a[cuda.blockIdx.x] = start[cuda.blockIdx.x]


@cuda.jit
def asserted(a, start):  # hit: one-thread-works
    agent = cuda.threadIdx.x
    assert agent == 0
    a[cuda.blockIdx.x, agent] = start[cuda.blockIdx.x, agent]


@cuda.jit
def the_first_adds_up(a, out):  # ok: one-thread-works
    parts = cuda.shared.array(64, float32)
    thread = cuda.threadIdx.x
    parts[thread] = a[cuda.grid(1)]  # hit: unchecked-index
    cuda.syncthreads()
    if thread == 0:
        out[cuda.blockIdx.x] = parts[0] + parts[1]


@cuda.jit
def shuffled(a, out):  # ok: one-thread-works
    value = a[cuda.grid(1)]  # hit: unchecked-index
    value += cuda.shfl_down_sync(0xFFFFFFFF, value, 1)
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = value


@cuda.jit
def each_its_own(a, start, done):  # ok: one-thread-works
    i = cuda.grid(1)
    if i < a.size and done[i] > 0:
        a[i] = start[i]


@cuda.jit
def on_the_diagonal(a):  # ok: one-thread-works
    i, j = cuda.grid(2)
    if i == j:
        a[i, j] = float32(1)  # hit: transposed-index


def main(n):
    a = cuda.device_array(n, dtype=np.float32)
    start = cuda.device_array(n, dtype=np.float32)
    done = cuda.device_array(n, dtype=np.int32)
    states = cuda.device_array((n, 4), dtype=np.float32)
    image = cuda.device_array((n, n), dtype=np.float32)
    reset[n, 64](a, start, done)
    leaves_early[n, 64](a, start)
    asserted[n, 64](states, states)
    the_first_adds_up[n // 64, 64](a, start)
    shuffled[n // 64, 64](a, start)
    each_its_own[(n + 127) // 128, 128](a, start, done)
    on_the_diagonal[(n // 16, n // 16), (16, 16)](image)
