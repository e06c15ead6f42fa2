# near: launch_in_loop
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def scan_pass(src, dst, distance):
    i = cuda.grid(1)
    if i < src.size:
        if i >= distance:
            dst[i] = src[i] + src[i - distance]
        else:
            dst[i] = src[i]


def prefix_sum(x):
    a = cuda.to_device(x)
    b = cuda.device_array_like(a)
    blocks = (x.size + TPB - 1) // TPB
    distance = 1
    while distance < x.size:
        scan_pass[blocks, TPB](a, b, distance)
        a, b = b, a
        distance *= 2
    return a.copy_to_host()


if __name__ == "__main__":
    x = np.random.default_rng(0).integers(0, 9, 20_000_000)
    assert np.array_equal(prefix_sum(x), np.cumsum(x))
