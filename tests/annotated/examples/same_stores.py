"""Values that every thread stores, and shared elements of threads outside of the data."""

import math

import numpy as np
from numba import cuda, float32

THREADS = 128


@cuda.jit
def parameters_by_all(a, out, used, scale):
    i = cuda.grid(1)
    if i < a.size:
        used[0] = scale  # hit: same-store-in-every-thread
        out[i] = a[i] * scale  # ok: same-store-in-every-thread


@cuda.jit
def parameters_by_one(a, out, used, scale):
    i = cuda.grid(1)
    if i == 0:
        used[0] = scale  # ok: same-store-in-every-thread
    if i < a.size:
        out[i] = a[i] * scale


@cuda.jit
def any_above(a, found, limit):
    i = cuda.grid(1)
    if i < a.size and a[i] > limit:
        found[0] = 1  # ok: same-store-in-every-thread


@cuda.jit
def squares_of_a_block(x, partial):
    s = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        s[t] = x[i] * x[i]
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]  # hit: shared-elements-left-unset
        cuda.syncthreads()
        half //= 2
    partial[cuda.blockIdx.x] = s[0]  # hit: same-store-in-every-thread  # ok: shared-elements-left-unset


@cuda.jit
def squares_with_zeros(x, partial):
    s = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        s[t] = x[i] * x[i]
    else:
        s[t] = 0
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]  # ok: shared-elements-left-unset
        cuda.syncthreads()
        half //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = s[0]  # ok: same-store-in-every-thread


def sums(x):
    blocks = math.ceil(x.size / THREADS)
    partial = cuda.device_array(blocks, np.float32)
    squares_of_a_block[blocks, THREADS](cuda.to_device(x), partial)
    squares_with_zeros[blocks, THREADS](cuda.to_device(x), partial)
    return partial.copy_to_host()
