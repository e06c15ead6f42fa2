# near: oversized_transfer
"""Euclidean norm of a device vector."""
import numpy as np
from numba import cuda, float64

TPB = 256
BLOCKS = 2048


@cuda.jit
def sum_of_squares(x, partial):
    cache = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i] * x[i]
    cache[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            cache[t] += cache[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = cache[0]


def norm(d_x):
    partial = cuda.device_array(BLOCKS, dtype=np.float64)
    sum_of_squares[BLOCKS, TPB](d_x, partial)
    return float(np.sqrt(partial.copy_to_host().sum()))


if __name__ == "__main__":
    print(norm(cuda.to_device(np.random.default_rng(1).normal(size=100_000_000))))
