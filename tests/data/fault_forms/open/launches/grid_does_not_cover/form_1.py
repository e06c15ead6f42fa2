"""Gamma correction of a stack of slices."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def gamma_correct(src, dst, gamma):
    i = cuda.grid(1)
    if i < src.size:
        dst[i] = src[i] ** gamma


def correct(volume, gamma):
    flat = np.ascontiguousarray(volume).reshape(-1)
    d_src = cuda.to_device(flat)
    d_dst = cuda.device_array(flat.size, dtype=np.float64)
    blocks = flat.size // THREADS
    gamma_correct[blocks, THREADS](d_src, d_dst, gamma)  # fault: grid_does_not_cover
    return d_dst.copy_to_host().reshape(volume.shape)


if __name__ == "__main__":
    volume = np.random.default_rng(1).random((301, 455, 517))
    print(correct(volume, 0.45).mean())
