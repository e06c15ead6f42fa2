# near: needless_sync
"""The host reads a mapped flag after every batch of sweeps, so it has to wait there."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def spread(reach, links, new, changed):
    v = cuda.grid(1)
    if v < reach.size:
        r = reach[v] | reach[links[0, v]] | reach[links[1, v]]
        new[v] = r
        if r != reach[v]:
            changed[0] = 1


def reachable(links, source):
    n = links.shape[1]
    start = np.zeros(n, dtype=np.uint8)
    start[source] = 1
    a = cuda.to_device(start)
    b = cuda.device_array_like(a)
    d_links = cuda.to_device(links)
    changed = cuda.mapped_array(1, dtype=np.int32)
    blocks = (n + TPB - 1) // TPB
    changed[0] = 1
    while changed[0]:
        changed[0] = 0
        for _ in range(8):
            spread[blocks, TPB](a, d_links, b, changed)
            a, b = b, a
        cuda.synchronize()
    return a.copy_to_host()


if __name__ == "__main__":
    n = 10_000_000
    links = np.random.default_rng(1).integers(0, n, (2, n)).astype(np.int32)
    np.save("reach.npy", reachable(links, 0))
