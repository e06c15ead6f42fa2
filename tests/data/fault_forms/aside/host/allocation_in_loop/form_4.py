"""Bitonic sort by passes that write to a second array."""
import numpy as np
from numba import cuda, int32, void

TPB = 256


@cuda.jit(void(int32[::1], int32[::1], int32, int32))
def compare_exchange(src, dst, j, k):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < src.shape[0]:
        p = i ^ j
        low = min(src[i], src[p])
        high = max(src[i], src[p])
        ascending = (i & k) == 0
        first = i < p
        dst[i] = low if ascending == first else high


def bitonic_sort(keys):
    n = keys.size
    assert n & (n - 1) == 0
    cur = cuda.to_device(keys)
    k = 2
    while k <= n:
        j = k // 2
        while j > 0:
            nxt = cuda.device_array(n, dtype=np.int32)  # fault: allocation_in_loop
            compare_exchange[(n + TPB - 1) // TPB, TPB](cur, nxt, j, k)
            cur = nxt
            j //= 2
        k *= 2
    return cur.copy_to_host()


if __name__ == "__main__":
    keys = np.random.default_rng(3).integers(0, 2**31 - 1, 1 << 24).astype(np.int32)
    assert np.all(np.diff(bitonic_sort(keys)) >= 0)
