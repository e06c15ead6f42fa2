"""Elements that other threads, or the iteration before, have had in hand already."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def product(a, b, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]  # hit: factor-loaded-by-many-threads  # ok: window-read-by-neighbours
        out[y, x] = total


@cuda.jit
def squares_of_rows(a, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * a[y, k]  # ok: factor-loaded-by-many-threads
        out[y, x] = total


@cuda.jit
def tiles(a, b, out):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range(a.shape[1] // 16):
        left[ty, tx] = a[y, tile * 16 + tx]  # ok: factor-loaded-by-many-threads
        right[ty, tx] = b[tile * 16 + ty, x]  # ok: factor-loaded-by-many-threads
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]  # ok: factor-loaded-by-many-threads
        cuda.syncthreads()
    out[y, x] = total


@cuda.jit
def window(a, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for k in range(weights.size):
            total += a[i + k] * weights[k]  # hit: window-read-by-neighbours
        out[i] = total


@cuda.jit
def pair(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for k in range(2):
            total += a[i + k]  # ok: window-read-by-neighbours
        out[i] = total


@cuda.jit
def strided(a, out):
    total = float32(0)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        total += a[i]  # ok: window-read-by-neighbours
    out[cuda.grid(1)] = total


@cuda.jit
def sums_in_memory(a, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        for j in range(1, a.shape[0]):
            out[j, i] = out[j - 1, i] + a[j, i]  # hit: running-sum-in-global-memory


@cuda.jit
def sums_in_a_register(a, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        total = float32(0)
        for j in range(a.shape[0]):
            total += a[j, i]  # ok: running-sum-in-global-memory
            out[j, i] = total


@cuda.jit
def differences(a, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        for j in range(1, a.shape[0]):
            out[j, i] = a[j, i] - a[j - 1, i]  # ok: running-sum-in-global-memory


def main(n):
    a = cuda.device_array((n, n), dtype=np.float32)
    b = cuda.device_array((n, n), dtype=np.float32)
    out = cuda.device_array((n, n), dtype=np.float32)
    line = cuda.device_array(n * n, dtype=np.float32)
    square = (n // 16, n // 16), (16, 16)
    product[square](a, b, out)  # hit: grid-rounded-down
    squares_of_rows[square](a, out)  # hit: grid-rounded-down
    tiles[square](a, b, out)
    window[n, 256](line, line, line)  # hit: grid-rounded-down
    pair[n, 256](line, line)  # hit: grid-rounded-down
    strided[n, 256](line, line)
    sums_in_memory[(n + 127) // 128, 128](a, out)
    sums_in_a_register[(n + 127) // 128, 128](a, out)
    differences[(n + 127) // 128, 128](a, out)
