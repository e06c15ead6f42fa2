
"""Cosine similarity of long vectors: block reduction, one thread of a block adds to the total."""
import math

import numpy as np
from numba import cuda, float32

TPB = 256
BLOCKS = 1024


@cuda.jit
def dot_kernel(x, y, total):
    cache = cuda.shared.array(TPB, float32)
    t = cuda.threadIdx.x
    acc = float32(0.0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i] * y[i]
    cache[t] = acc
    cuda.syncthreads()
    stride = TPB // 2
    while stride > 0:
        if t < stride:
            cache[t] += cache[t + stride]
        cuda.syncthreads()
        stride //= 2
    if t == 0:
        cuda.atomic.add(total, 0, cache[0])


def dot(x, y):
    total = cuda.to_device(np.zeros(1, dtype=np.float32))
    dot_kernel[BLOCKS, TPB](x, y, total)
    return float(total.copy_to_host()[0])


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a = rng.standard_normal(40_000_000, dtype=np.float32)
    b = a + rng.standard_normal(40_000_000, dtype=np.float32)
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)
    print(dot(d_a, d_b) / math.sqrt(dot(d_a, d_a) * dot(d_b, d_b)), "expected about", 0.5**0.5)
