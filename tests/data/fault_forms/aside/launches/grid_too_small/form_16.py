import numpy as np
from numba import cuda, int32


@cuda.jit
def match_positions(text, pattern, found, n_found):
    """Exact matching, each thread examines every gridsize-th position of the genome."""
    m = pattern.size
    pos = cuda.grid(1)
    stride = cuda.gridsize(1)
    last = text.size - m
    while pos <= last:
        k = 0
        while k < m and text[pos + k] == pattern[k]:
            k += 1
        if k == m:
            slot = cuda.atomic.add(n_found, 0, int32(1))
            if slot < found.size:
                found[slot] = pos
        pos += stride


def _launch(kernel, *args, grid=1, block=512):
    kernel[grid, block](*args)  # fault: grid_too_small


def search(genome, motif, capacity=1 << 20):
    d_text = cuda.to_device(np.frombuffer(genome, dtype=np.uint8))
    d_motif = cuda.to_device(np.frombuffer(motif, dtype=np.uint8))
    d_found = cuda.device_array(capacity, dtype=np.int64)
    d_count = cuda.to_device(np.zeros(1, dtype=np.int32))
    _launch(match_positions, d_text, d_motif, d_found, d_count)
    n = min(int(d_count.copy_to_host()[0]), capacity)
    return np.sort(d_found[:n].copy_to_host())


if __name__ == "__main__":
    rng = np.random.default_rng(9)
    genome = rng.choice(np.frombuffer(b"ACGT", dtype=np.uint8), 200_000_000).tobytes()
    print(search(genome, b"GATTACAGATT")[:10])
