import time

import numpy as np
from numba import cuda

TPB = 256


@cuda.jit(device=True)
def mix(h):
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xff51afd7ed558ccd)
    h ^= h >> np.uint64(33)
    return h


@cuda.jit
def fill_keys(keys, seed):
    i = cuda.grid(1)
    if i < keys.size:
        keys[i] = np.uint64(i) + seed


@cuda.jit
def hash_keys(keys, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = mix(keys[i])


def benchmark(n):
    keys = cuda.device_array(n, dtype=np.uint64)
    out = cuda.device_array(n, dtype=np.uint64)
    blocks = (n + TPB - 1) // TPB
    fill_keys[blocks, TPB](keys, np.uint64(12345))
    cuda.synchronize()
    start = time.monotonic()
    hash_keys[blocks, TPB](keys, out)  # fault: timing_includes_compile
    cuda.synchronize()
    return n / (time.monotonic() - start)


if __name__ == "__main__":
    print(f"{benchmark(200_000_000):.3e} keys per second")
