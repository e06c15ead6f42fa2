
"""Row norms where rows without entries are skipped by the whole block at once."""
import math

import numpy as np
from numba import cuda, float32

WIDTH = 128


@cuda.jit
def row_norms(table, filled, norms):
    s = cuda.shared.array(WIDTH, float32)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    n = filled[row]
    if n == 0:
        if t == 0:
            norms[row] = float32(0.0)
        return
    acc = float32(0.0)
    for c in range(t, n, WIDTH):
        acc += table[row, c] * table[row, c]
    s[t] = acc
    cuda.syncthreads()
    step = WIDTH // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        norms[row] = math.sqrt(s[0])


def norms_of(table, filled):
    d_norms = cuda.device_array(table.shape[0], dtype=np.float32)
    row_norms[table.shape[0], WIDTH](cuda.to_device(table), cuda.to_device(filled), d_norms)
    return d_norms.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    tab = rng.standard_normal((100_000, 768), dtype=np.float32)
    fill = rng.integers(0, 769, 100_000, dtype=np.int32)
    print(norms_of(tab, fill)[:5])
