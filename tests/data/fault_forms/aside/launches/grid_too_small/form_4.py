import cupy as cp
import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def dot_partials(a, b, partial):
    cache = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    step = cuda.blockDim.x * cuda.gridDim.x
    acc = 0.0
    while i < a.size:
        acc += a[i] * b[i]
        i += step
    cache[t] = acc
    cuda.syncthreads()
    s = TPB // 2
    while s > 0:
        if t < s:
            cache[t] += cache[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = cache[0]


def dot(a, b, blocks=8):
    partial = cp.empty(blocks, dtype=cp.float64)
    dot_partials[blocks, TPB](a, b, partial)  # fault: grid_too_small
    return float(partial.sum())


if __name__ == "__main__":
    a = cp.random.standard_normal(100_000_000)
    b = cp.random.standard_normal(100_000_000)
    value = dot(a, b)
    print(value, np.isclose(value, float(a @ b)))
