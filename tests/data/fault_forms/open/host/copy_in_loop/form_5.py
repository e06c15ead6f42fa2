import math

import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def residual_partials(x, y, params, partial):
    cache = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        r = y[i] - params[0] * math.exp(-params[1] * x[i])
        acc += r * r
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


def scan_decay(x, y, amplitude, rates):
    """Sum of squares for each trial decay rate."""
    blocks = 2048
    d_partial = cuda.device_array(blocks, dtype=np.float64)
    cost = np.empty(rates.size)
    for k, rate in enumerate(rates):
        d_x = cuda.to_device(x)  # fault: copy_in_loop
        d_y = cuda.to_device(y)  # fault: copy_in_loop
        residual_partials[blocks, TPB](d_x, d_y, (amplitude, rate), d_partial)
        cost[k] = d_partial.copy_to_host().sum()
    return cost


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    t = rng.uniform(0.0, 5.0, 20_000_000)
    counts = 3.0 * np.exp(-0.7 * t) + rng.normal(0.0, 0.1, t.size)
    rates = np.linspace(0.5, 0.9, 200)
    print(rates[scan_decay(t, counts, 3.0, rates).argmin()])
