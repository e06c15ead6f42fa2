# near: data_race
"""Scan within blocks; each step reads into a register before the barrier and writes behind it."""
import numpy as np
from numba import cuda, int32

WIDTH = 512


@cuda.jit
def scan_rows(values, out):
    s = cuda.shared.array(WIDTH, int32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * WIDTH + t
    mine = values[i] if i < values.size else int32(0)
    s[t] = mine
    cuda.syncthreads()
    offset = 1
    while offset < WIDTH:
        if t >= offset:
            mine += s[t - offset]
        cuda.syncthreads()
        s[t] = mine
        cuda.syncthreads()
        offset *= 2
    if i < out.size:
        out[i] = mine


def scan_segments(values):
    """Running sums that start anew at every WIDTH elements."""
    d_values = cuda.to_device(values)
    d_out = cuda.device_array_like(d_values)
    scan_rows[(values.size + WIDTH - 1) // WIDTH, WIDTH](d_values, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    v = np.random.default_rng(0).integers(0, 10, WIDTH * 60_000).astype(np.int32)
    want = np.cumsum(v.reshape(-1, WIDTH), axis=1, dtype=np.int32).ravel()
    print(np.array_equal(scan_segments(v), want))
