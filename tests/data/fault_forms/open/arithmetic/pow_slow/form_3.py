import math

import cupy as cp
from numba import cuda


@cuda.jit("void(float64[:, ::1], float64[:, ::1], float64[:, ::1])")
def squared_distances(a_t, b_t, d2):
    """a_t: (dims, na), b_t: (dims, nb) -> (nb, na)."""
    i, j = cuda.grid(2)
    if i < a_t.shape[1] and j < b_t.shape[1]:
        s = 0.0
        for k in range(a_t.shape[0]):
            s += math.pow(a_t[k, i] - b_t[k, j], 2.0)  # fault: pow_slow
        d2[j, i] = s


def distance_table(a, b):
    a_t = cp.ascontiguousarray(a.T)
    b_t = cp.ascontiguousarray(b.T)
    d2 = cp.empty((len(b), len(a)))
    threads = (32, 8)
    blocks = ((len(a) + 31) // 32, (len(b) + 7) // 8)
    squared_distances[blocks, threads](a_t, b_t, d2)
    return d2


print(float(distance_table(cp.random.rand(20000, 64), cp.random.rand(5000, 64)).min()))
