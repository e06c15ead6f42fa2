"""Vector addition in four elements per thread."""
import math

import numpy as np
from numba import cuda

UNROLL = 4
TPB = 256


@cuda.jit
def add_unrolled(a, b, c):
    base = cuda.blockIdx.x * cuda.blockDim.x * UNROLL + cuda.threadIdx.x
    if base < c.size:
        for u in range(UNROLL):
            k = base + u * cuda.blockDim.x
            c[k] = a[k] + b[k]


def add(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        raise ValueError("operands differ in shape or type")
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)
    d_c = cuda.device_array_like(d_a)
    add_unrolled[math.ceil(a.size / (UNROLL * TPB)), TPB](d_a, d_b, d_c)
    return d_c.copy_to_host()


def main():
    n = 10_000_001
    rng = np.random.default_rng(0)
    x = rng.random(n, dtype=np.float32)
    y = rng.random(n, dtype=np.float32)
    np.testing.assert_allclose(add(x, y), x + y)
    print("ok")


if __name__ == "__main__":
    main()
