# near: needless_host_copy
"""Gaps between values in a given order."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def reorder(values, order, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = values[order[i]]


@cuda.jit
def differences(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1] - x[i]


def gaps(values, order):
    n = order.size
    ordered = cuda.device_array(n, dtype=np.float64)
    reorder[(n + TPB - 1) // TPB, TPB](cuda.to_device(values), cuda.to_device(order), ordered)
    out = cuda.device_array(n - 1, dtype=np.float64)
    differences[(n + TPB - 1) // TPB, TPB](ordered, out)
    return out.copy_to_host()


if __name__ == "__main__":
    values = np.random.default_rng(1).random(30_000_000)
    np.save("gaps.npy", gaps(values, np.argsort(values)))
