"""Shared arrays: data of the block, and what each thread should have for itself."""

import numpy as np
from numba import cuda, float32


@cuda.jit(device=True)
def eliminated(a, i):
    m = cuda.shared.array((2, 2), float32)  # hit: private-data-in-shared-memory
    for j in range(2):
        for k in range(2):
            m[j, k] = a[i, j + k]
    m[1, 0] = m[1, 0] - m[0, 0]  # ok: unordered-update
    m[1, 1] -= m[0, 1]  # ok: unordered-update
    return m[1, 0] + m[1, 1]


@cuda.jit
def solved(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = eliminated(a, i)


@cuda.jit
def solved_locally(out):
    i = cuda.grid(1)
    if i < out.size:
        m = cuda.local.array(2, float32)  # ok: private-data-in-shared-memory
        m[0] = out[i]
        m[1] = out[i] * np.float32(2)
        out[i] = m[0] - m[1]


@cuda.jit
def a_number_of_the_block(a, out):
    factor = cuda.shared.array(1, float32)  # ok: private-data-in-shared-memory
    if cuda.threadIdx.x < 1:
        factor[0] = a[cuda.blockIdx.x, 0]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < out.size:
        out[i] *= factor[0]


@cuda.jit
def a_sum_of_the_block(a, out):
    total = cuda.shared.array(1, float32)  # ok: private-data-in-shared-memory
    total[0] = np.float32(0)
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < out.size:
        total[0] += out[i]  # hit: unordered-update
    cuda.syncthreads()
    if cuda.threadIdx.x < 1:
        a[cuda.blockIdx.x, 0] = total[0]


def main():
    n = 1 << 20
    out = cuda.to_device(np.ones(n, dtype=np.float32))
    rows = cuda.to_device(np.ones((n, 4), dtype=np.float32))
    solved[n // 256, 256](rows, out)
    solved_locally[n // 256, 256](out)
    a_number_of_the_block[n // 256, 256](rows, out)
    a_sum_of_the_block[n // 256, 256](rows, out)
