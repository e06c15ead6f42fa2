"""Intervals between photon time tags (64-bit picosecond counters)."""
import numpy as np
from numba import cuda


@cuda.jit
def tags_to_seconds(tags, seconds):
    i = cuda.grid(1)
    if i < tags.size:
        seconds[i] = tags[i] * 1e-12


@cuda.jit
def intervals(seconds, gaps):
    i = cuda.grid(1)
    if i < gaps.size:
        gaps[i] = seconds[i + 1] - seconds[i]


def inter_photon_gaps(tags):
    n = tags.size
    d_tags = cuda.to_device(tags)
    d_seconds = cuda.device_array(n, dtype=np.float32)  # fault: precision_loss
    d_gaps = cuda.device_array(n - 1, dtype=np.float64)
    threads = 256
    blocks = (n + threads - 1) // threads
    tags_to_seconds[blocks, threads](d_tags, d_seconds)
    intervals[blocks, threads](d_seconds, d_gaps)
    return d_gaps.copy_to_host()


if __name__ == "__main__":
    tags = np.cumsum(np.random.exponential(2e6, 20_000_000)).astype(np.int64)
    print(inter_photon_gaps(tags).mean())
