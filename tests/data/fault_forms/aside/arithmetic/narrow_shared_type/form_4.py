import numpy as np
from numba import cuda, int32

BLOCK = 512


@cuda.jit("void(int64[::1], int64[::1], int64[::1])")
def block_scan(sizes, offsets, totals):
    """Inclusive scan of byte sizes inside each block; file sizes may be many gigabytes."""
    buf = cuda.shared.array(BLOCK, int32)  # fault: narrow_shared_type
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * BLOCK + t
    buf[t] = sizes[i] if i < sizes.size else 0
    cuda.syncthreads()
    d = 1
    while d < BLOCK:
        v = buf[t - d] if t >= d else 0
        cuda.syncthreads()
        buf[t] += v
        cuda.syncthreads()
        d *= 2
    if i < sizes.size:
        offsets[i] = buf[t]
    if t == BLOCK - 1:
        totals[cuda.blockIdx.x] = buf[t]


@cuda.jit("void(int64[::1], int64[::1])")
def add_base(offsets, base):
    i = cuda.blockIdx.x * BLOCK + cuda.threadIdx.x
    if i < offsets.size:
        offsets[i] += base[cuda.blockIdx.x]


def archive_offsets(sizes):
    blocks = (sizes.size + BLOCK - 1) // BLOCK
    d_offsets = cuda.device_array(sizes.size, dtype=np.int64)
    d_totals = cuda.device_array(blocks, dtype=np.int64)
    block_scan[blocks, BLOCK](cuda.to_device(sizes), d_offsets, d_totals)
    base = np.concatenate(([0], np.cumsum(d_totals.copy_to_host())[:-1]))
    add_base[blocks, BLOCK](d_offsets, cuda.to_device(base))
    return d_offsets.copy_to_host()


if __name__ == "__main__":
    print(archive_offsets(np.random.randint(0, 1 << 34, 5_000_000))[-1])
