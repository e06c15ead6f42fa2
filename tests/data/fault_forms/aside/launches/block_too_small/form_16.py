"""Small elementwise layer over Numba kernels."""
import math

import numpy as np
from numba import cuda


def launch_1d(kernel, n, *args, tpb=16):
    """Launch `kernel` with one thread for each of n elements."""
    blocks = (n + tpb - 1) // tpb
    kernel[blocks, tpb](*args)  # fault: block_too_small


@cuda.jit
def _exp_decay(t, inv_tau, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = math.exp(-t[i] * inv_tau)


@cuda.jit
def _residual(y, data, r):
    i = cuda.grid(1)
    if i < r.size:
        r[i] = data[i] - y[i]


class DecayModel:
    def __init__(self, t, data):
        self.n = t.size
        self.t = cuda.to_device(t)
        self.data = cuda.to_device(data)
        self.y = cuda.device_array(self.n, dtype=np.float32)
        self.r = cuda.device_array(self.n, dtype=np.float32)

    def residual(self, tau):
        launch_1d(_exp_decay, self.n, self.t, np.float32(1.0 / tau), self.y)
        launch_1d(_residual, self.n, self.y, self.data, self.r)
        return self.r.copy_to_host()


if __name__ == "__main__":
    t = np.linspace(0, 50, 10_000_000, dtype=np.float32)
    noise = np.random.default_rng(0).normal(0, 0.01, t.size)
    model = DecayModel(t, (np.exp(-t / 7.0) + noise).astype(np.float32))
    for tau in (6.0, 7.0, 8.0):
        print(tau, float(np.square(model.residual(tau)).mean()))
