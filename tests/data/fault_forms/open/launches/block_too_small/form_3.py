import numpy as np
from numba import cuda

# GC content of fixed-width windows along a chromosome
WINDOW = 64
bases = np.frombuffer(b"ACGT", dtype=np.uint8)
sequence = np.random.default_rng(0).choice(bases, 50_000_000)
n_windows = sequence.size // WINDOW
# base k of window w lies at [k, w]
planes = np.ascontiguousarray(sequence[: n_windows * WINDOW].reshape(n_windows, WINDOW).T)


@cuda.jit
def gc_count(planes, counts):
    w = cuda.blockIdx.x
    if w < counts.size:
        total = 0
        for k in range(planes.shape[0]):
            c = planes[k, w]
            if c == 67 or c == 71:
                total += 1
        counts[w] = total


d_planes = cuda.to_device(planes)
d_counts = cuda.device_array(n_windows, dtype=np.int32)
gc_count[n_windows, 1](d_planes, d_counts)  # fault: block_too_small
np.save("gc.npy", d_counts.copy_to_host() / WINDOW)
