"""Block sizes at launches: multiples of the warp or not, too small, or taken from the data."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def fill(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        a[i] = np.float32(1)


@cuda.jit
def fill_image(a):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        a[y, x] = np.float32(1)


THREADS = 256
ODD = 200


def sizes(n):
    a = cuda.device_array(n, dtype=np.float32)
    fill[n // 100, 100](a)  # hit: block-not-warp-multiple  # ok: block-too-small
    fill[n // 256, 256](a)  # ok: block-not-warp-multiple, block-too-small, block-size-follows-data
    fill[n // 16, 16](a)  # hit: block-too-small  # ok: block-not-warp-multiple
    fill[n // 32, 32](a)  # hit: block-too-small  # ok: block-not-warp-multiple
    fill[n // 64, 64](a)  # ok: block-too-small, block-not-warp-multiple
    fill[n // THREADS, THREADS](a)  # ok: block-not-warp-multiple, block-too-small
    fill[n // ODD, ODD](a)  # hit: block-not-warp-multiple
    threads = 96
    blocks = (n + threads - 1) // threads
    fill[blocks, threads](a)  # ok: block-not-warp-multiple, block-too-small
    configured = fill[blocks, 48]
    configured(a)  # hit: block-too-small, block-not-warp-multiple


def shapes(rows, columns):
    image = cuda.device_array((rows, columns), dtype=np.float32)
    fill_image[(columns // 22, rows // 22), (22, 22)](  # hit: block-not-warp-multiple, grid-rounded-down
        image
    )
    fill_image[(columns // 16, rows // 16), (16, 16)](image)  # ok: block-too-small  # hit: grid-rounded-down
    fill_image[(columns // 32, rows // 8), (32, 8)](  # ok: block-not-warp-multiple  # hit: grid-rounded-down
        image
    )
    fill_image[(columns // 32, rows // 1), (32, 1)](image)  # hit: block-too-small  # hit: grid-rounded-down


def from_the_data(batch):
    a = cuda.to_device(batch)
    n = batch.shape[0]
    fill[1000, n](a)  # hit: block-size-follows-data  # ok: block-too-small, block-not-warp-multiple


def chosen_by_the_caller(n, threads):
    a = cuda.device_array(n, dtype=np.float32)
    fill[n // threads, threads](a)  # ok: block-size-follows-data, block-too-small, block-not-warp-multiple


def divided_from_the_data(n, blocks):
    a = cuda.device_array(n, dtype=np.float32)
    threads = 32
    share = (n + (threads - 1)) // threads
    fill[threads, share](a)  # hit: block-divided-from-data  # ok: grid-too-small
    fill[share, threads](a)  # ok: block-divided-from-data  # hit: block-too-small
    fill[blocks, math.ceil(n / blocks)](a)  # hit: block-divided-from-data
    fill[blocks, n // 64](a)  # ok: block-divided-from-data
    fill[64, 32 * ((n + 64 * 32 - 1) // (64 * 32))](a)  # ok: block-divided-from-data  # hit: grid-too-small
