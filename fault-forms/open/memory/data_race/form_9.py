"""Dot product of two long vectors (block reduction, partial results on the host)."""
import cupy as cp
from numba import cuda, float32

TPB = 256


@cuda.jit
def dot_partial(x, y, partial):
    cache = cuda.shared.array(TPB, float32)
    t = cuda.threadIdx.x
    acc = float32(0.0)
    i = cuda.grid(1)
    while i < x.size:
        acc += x[i] * y[i]
        i += cuda.gridsize(1)
    cache[t] = acc
    cuda.syncthreads()
    stride = TPB // 2
    while stride > 0:
        if t < stride:
            cache[t] += cache[t + stride]
        stride //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = cache[0]


def dot(x, y, n_blocks=1024):
    partial = cp.empty(n_blocks, dtype=cp.float32)
    dot_partial[n_blocks, TPB](x, y, partial)
    return float(partial.sum())


def cosine(x, y):
    return dot(x, y) / (dot(x, x) * dot(y, y)) ** 0.5


if __name__ == "__main__":
    a = cp.random.standard_normal(40_000_000, dtype=cp.float32)
    b = a + cp.random.standard_normal(40_000_000, dtype=cp.float32)
    print(cosine(a, b), "expected about", 0.5**0.5)
