import numpy as np
from numba import cuda, int32

WIDTH = 512


@cuda.jit
def scan_blocks(values, sums):
    """Inclusive scan within each block (Hillis and Steele)."""
    s = cuda.shared.array(WIDTH, int32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * WIDTH + t
    s[t] = values[i] if i < values.size else 0
    cuda.syncthreads()
    offset = 1
    while offset < WIDTH:
        if t >= offset:
            s[t] += s[t - offset]  # fault: data_race
        cuda.syncthreads()
        offset *= 2
    if i < values.size:
        values[i] = s[t]
    if t == WIDTH - 1:
        sums[cuda.blockIdx.x] = s[t]


@cuda.jit
def add_offsets(values, sums):
    i = cuda.blockIdx.x * WIDTH + cuda.threadIdx.x
    if cuda.blockIdx.x > 0 and i < values.size:
        values[i] += sums[cuda.blockIdx.x - 1]


def inclusive_scan(d_values):
    n_blocks = (d_values.size + WIDTH - 1) // WIDTH
    sums = cuda.device_array(n_blocks, dtype=np.int32)
    scan_blocks[n_blocks, WIDTH](d_values, sums)
    if n_blocks > 1:
        inclusive_scan(sums)
        add_offsets[n_blocks, WIDTH](d_values, sums)


if __name__ == "__main__":
    lengths = np.random.default_rng(0).integers(0, 10, 30_000_000).astype(np.int32)
    d = cuda.to_device(lengths)
    inclusive_scan(d)
    print(np.array_equal(d.copy_to_host(), np.cumsum(lengths, dtype=np.int32)))
