"""Float64 data that a kernel rounds to float32 although its results are float64."""

import math

import numpy as np
from numba import cuda, float32, float64

THREADS = 128


@cuda.jit("void(float64[::1], float64[::1])")
def sums_of_blocks(x, out):
    tile = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = x[i] if i < x.size else 0.0  # hit: float64-data-in-float32
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@cuda.jit("void(float64[::1], float64[::1])")
def sums_in_float64(x, out):
    tile = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = x[i] if i < x.size else 0.0  # ok: float64-data-in-float32
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@cuda.jit("void(float64[::1], float64, float64[::1])")
def since(times, epoch, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = float32(times[i]) - epoch  # hit: float64-data-in-float32


@cuda.jit("void(float64[::1], float64, float32[::1])")
def difference_as_float32(times, epoch, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = float32(times[i] - epoch)  # ok: float64-data-in-float32


def main(n=1_000_000):
    x = cuda.to_device(np.random.random(n))
    blocks = math.ceil(n / THREADS)
    sums = cuda.device_array(blocks, np.float64)
    sums_of_blocks[blocks, THREADS](x, sums)
    sums_in_float64[blocks, THREADS](x, sums)
    wide, narrow = cuda.device_array(n, np.float64), cuda.device_array(n, np.float32)
    since[blocks, THREADS](x, 0.5, wide)
    difference_as_float32[blocks, THREADS](x, 0.5, narrow)
