"""Kernels of much code, of many registers, that call themselves, and of large blocks at barriers."""

import math

import numpy as np
from numba import cuda, float32, float64, int32


@cuda.jit("int32(int32)", device=True)
def steps_to_one(n):
    if n < 2:
        return int32(0)
    return steps_to_one(int32(n // 2)) + int32(1)


@cuda.jit
def recursive(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = steps_to_one(a[i])  # hit: call-not-inlined


@cuda.jit(device=True)
def twice(x):
    return x + x


@cuda.jit
def plain(a):  # ok: wide-index-arithmetic
    i = cuda.grid(1)
    if i < a.size:
        a[i] = twice(a[i])  # ok: call-not-inlined


@cuda.jit
def many_functions(a, out):  # hit: large-kernel-not-cached
    i = cuda.grid(1)
    if i < out.size:
        x = float64(a[i])
        y = math.sin(x) + math.cos(x * x) + math.tan(x) + math.gamma(x) + math.lgamma(x) + math.erf(x)
        z = math.atan2(x, y) + math.sinh(y) + math.cosh(x) + math.atan2(x, y) + math.acos(x) + math.asin(y)
        u = math.atan2(y, z) + math.sin(z) + math.cos(z) + math.tan(z) + math.gamma(z) + math.lgamma(z)
        v = math.atan2(z, u) + math.sin(u) + math.cos(u) + math.tan(u) + math.gamma(u) + math.lgamma(u)
        out[i] = math.sin(u + v) + math.tan(v) + math.gamma(v) + math.lgamma(v) + math.atan2(u, v)


@cuda.jit(cache=True)
def many_functions_kept(a, out):  # ok: large-kernel-not-cached
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.gamma(float64(a[i]))


@cuda.jit
def sums_at_barriers(a, out):
    tile = cuda.shared.array(1024, float32)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]  # hit: unchecked-index
    cuda.syncthreads()  # ok: barriers-in-large-blocks
    width = 512
    while width > 0:
        if t < width:
            tile[t] += tile[t + width]
        cuda.syncthreads()  # hit: barriers-in-large-blocks
        width //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@cuda.jit
def sums_of_small_blocks(a, out):
    tile = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]  # hit: unchecked-index
    cuda.syncthreads()
    width = 64
    while width > 0:
        if t < width:
            tile[t] += tile[t + width]
        cuda.syncthreads()  # ok: barriers-in-large-blocks
        width //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


def main(n):
    a = cuda.device_array(n, dtype=np.float32)
    whole = cuda.device_array(n, dtype=np.int32)
    recursive[n // 128, 128](whole)
    plain[n // 128, 128](a)  # hit: grid-rounded-down
    many_functions[n // 128, 128](a, a)  # hit: grid-rounded-down
    many_functions_kept[n // 128, 128](a, a)  # hit: grid-rounded-down
    sums_at_barriers[n // 1024, 1024](a, a)
    sums_of_small_blocks[n // 128, 128](a, a)
    return int32(0)
