"""Local arrays that must lie in local memory, and those that stay in registers."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def index_from_data(a, out):
    i = cuda.grid(1)
    counts = cuda.local.array(16, float32)  # hit: local-array-dynamic-index
    if i < out.size:
        for k in range(16):
            counts[k] = np.float32(0)
        for k in range(64):
            counts[a[64 * (i // 64) + k] & 15] += np.float32(1)  # ok: unwritten-local-array
        best = counts[0]
        for k in range(1, 16):
            best = max(best, counts[k])
        out[i] = best


@cuda.jit
def counted_from_nothing(a, out):
    i = cuda.grid(1)
    counts = cuda.local.array(16, float32)  # hit: local-array-dynamic-index
    if i < out.size:
        for k in range(64):
            counts[a[64 * (i // 64) + k] & 15] += np.float32(1)  # hit: unwritten-local-array
        best = counts[0]  # ok: unwritten-local-array
        for k in range(1, 16):
            best = max(best, counts[k])
        out[i] = best


@cuda.jit
def constant_indices(a, out):
    i = cuda.grid(1)
    pair = cuda.local.array(2, float32)  # ok: local-array-dynamic-index
    if i < out.size:
        pair[0] = a[i]
        pair[1] = a[i] * a[i]
        out[i] = pair[0] + pair[1]


@cuda.jit
def unrolled(a, out):
    i = cuda.grid(1)
    window = cuda.local.array(4, float32)  # ok: local-array-dynamic-index
    if i + 4 < out.size:
        for k in range(4):
            window[k] = a[i + k]
        total = np.float32(0)
        for k in range(4):
            total += window[k]
        out[i] = total


@cuda.jit
def in_shared_memory(a, out):
    t = cuda.threadIdx.x
    counts = cuda.shared.array(16, float32)  # ok: local-array-dynamic-index
    if t < 16:
        counts[t] = np.float32(0)
    cuda.syncthreads()
    if t < a.shape[1]:
        cuda.atomic.add(counts, a[cuda.blockIdx.x, t] & 15, np.float32(1))
    cuda.syncthreads()
    if t < 16:
        out[cuda.blockIdx.x, t] = counts[t]


@cuda.jit(device=True)
def gap(corners, i):
    return corners[2 * ((i + 1) % 4)] - corners[2 * i]


@cuda.jit(device=True)
def put(found, place, x):
    found[place] = x


@cuda.jit
def beside_another(a, out, limit):
    i = cuda.grid(1)
    # The loops around the calls are unrolled, so that only the second array has places of run time.
    corners = cuda.local.array(8, float32)  # ok: local-array-dynamic-index
    found = cuda.local.array(16, float32)  # hit: local-array-dynamic-index
    if i < out.size:
        for k in range(8):
            corners[k] = a[i + k * out.size]
        for k in range(16):
            found[k] = np.float32(0)
        for k in range(4):
            d = gap(corners, k)
            put(found, int(d) & 15, d)
        for k in range(64):
            put(found, int(a[i + k * out.size]) & 15, limit)
        total = np.float32(0)
        for k in range(16):
            total = max(total, found[k])
        out[i] = total


def main():
    limit = np.float32(0.5)
    n = 1 << 20
    keys = cuda.to_device(np.ones(n, dtype=np.int32))
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    rows = cuda.to_device(np.ones((4096, 256), dtype=np.int32))
    histograms = cuda.device_array((4096, 16), dtype=np.float32)
    index_from_data[n // 256, 256](keys, out)
    counted_from_nothing[n // 256, 256](keys, out)
    constant_indices[n // 256, 256](a, out)
    unrolled[n // 256, 256](a, out)
    in_shared_memory[4096, 256](rows, histograms)
    corners = cuda.device_array(8 * n, dtype=np.float32)
    beside_another[n // 256, 256](corners, out, limit)
