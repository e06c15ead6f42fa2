"""Intensity normalisation of scanned volumes."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.reduce
def largest(a, b):
    return a if a > b else b


@cuda.reduce
def smallest(a, b):
    return a if a < b else b


@cuda.jit
def rescale(values, lo, scale):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        values[i] = (values[i] - lo) * scale


def normalise(volume):
    """Scale a float32 volume to [0, 1]."""
    d_values = cuda.to_device(volume.ravel())
    hi = largest(d_values, init=-np.inf)
    lo = smallest(d_values, init=np.inf)  # fault: unfused_passes
    rescale[2048, TPB](d_values, np.float32(lo), np.float32(1.0 / (hi - lo)))
    return d_values.copy_to_host().reshape(volume.shape)


if __name__ == "__main__":
    volume = np.random.normal(size=(400, 512, 512)).astype(np.float32)
    print(normalise(volume).mean())
