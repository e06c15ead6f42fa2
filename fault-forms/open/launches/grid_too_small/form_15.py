"""Elementwise activations for a tiny inference engine."""
import math

import numpy as np
from numba import cuda, float32


@cuda.jit
def _relu(x, y, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = max(x[i], float32(0.0))


@cuda.jit
def _sigmoid(x, y, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = float32(1.0) / (float32(1.0) + math.exp(-x[i]))


@cuda.jit
def _tanh(x, y, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = math.tanh(x[i])


_ACTIVATIONS = {"relu": _relu, "sigmoid": _sigmoid, "tanh": _tanh}
_MAX_BLOCKS = 16


def activate(name, x):
    """Apply activation `name` to the device array x and return a new device array."""
    kernel = _ACTIVATIONS[name]
    n = x.size
    y = cuda.device_array(n, dtype=np.float32)
    threads = 256
    blocks = min(_MAX_BLOCKS, (n + threads - 1) // threads)
    kernel[blocks, threads](x, y, n)
    return y


if __name__ == "__main__":
    batch = np.random.default_rng(6).standard_normal(32 * 64 * 224 * 224, dtype=np.float32)
    h = activate("relu", cuda.to_device(batch))
    print(activate("sigmoid", h).copy_to_host()[:8])
