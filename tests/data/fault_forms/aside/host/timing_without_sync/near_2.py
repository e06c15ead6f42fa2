# near: timing_without_sync
"""Time until the result is on the host; the blocking copy ends the measurement."""
from time import perf_counter

import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def rank_transform(x, edges, rank):
    i = cuda.grid(1)
    if i < x.size:
        lo = 0
        hi = edges.size
        while lo < hi:
            mid = (lo + hi) >> 1
            if edges[mid] <= x[i]:
                lo = mid + 1
            else:
                hi = mid
        rank[i] = lo


def ranked(x, edges):
    d_rank = cuda.device_array(x.size, dtype=np.int32)
    rank_transform[(x.size + TPB - 1) // TPB, TPB](cuda.to_device(x), cuda.to_device(edges), d_rank)
    return d_rank.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    x = rng.normal(size=40_000_000)
    edges = np.sort(rng.normal(size=1000))
    ranked(x[:1000], edges)
    begin = perf_counter()
    ranks = ranked(x, edges)
    print("end to end:", perf_counter() - begin)
    np.save("ranks.npy", ranks)
