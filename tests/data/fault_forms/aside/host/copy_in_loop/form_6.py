"""Label propagation on a random regular graph."""
import numpy as np
from numba import cuda

THREADS = 128


@cuda.jit
def propagate(neighbours, label, new_label):
    v = cuda.grid(1)
    if v < label.size:
        best = label[v]
        for k in range(neighbours.shape[0]):
            best = min(best, label[neighbours[k, v]])
        new_label[v] = best


def components(neighbours, rounds):
    n = neighbours.shape[1]
    blocks = (n + THREADS - 1) // THREADS
    d_neighbours = cuda.to_device(neighbours)
    label = np.arange(n, dtype=np.int32)
    d_new = cuda.device_array(n, dtype=np.int32)
    for _ in range(rounds):
        d_label = cuda.to_device(label)  # fault: copy_in_loop
        propagate[blocks, THREADS](d_neighbours, d_label, d_new)
        label = d_new.copy_to_host()  # fault: copy_in_loop
    return label


if __name__ == "__main__":
    n = 6_000_000
    edges = np.random.default_rng(5).integers(0, n, (6, n)).astype(np.int32)
    print(np.unique(components(edges, 60)).size)
