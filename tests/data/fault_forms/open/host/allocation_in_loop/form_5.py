import math

import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def masked_sum(values, lo, hi, partial):
    cache = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        v = values[i]
        if lo <= v < hi:
            acc += v
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


def bisect_lorenz(values, share, rounds=60):
    """Largest value so that all below it hold the given share of the total."""
    d_values = cuda.to_device(values)
    blocks = min(4096, math.ceil(values.size / TPB))
    lo, hi = 0.0, float(values.max())
    target = share * float(values.sum())
    for _ in range(rounds):
        mid = 0.5 * (lo + hi)
        d_partial = cuda.device_array(blocks, dtype=np.float64)  # fault: allocation_in_loop
        masked_sum[blocks, TPB](d_values, 0.0, mid, d_partial)
        if d_partial.copy_to_host().sum() < target:
            lo = mid
        else:
            hi = mid
    return lo


if __name__ == "__main__":
    income = np.random.default_rng(4).pareto(2.5, 40_000_000)
    print(bisect_lorenz(income, 0.5))
