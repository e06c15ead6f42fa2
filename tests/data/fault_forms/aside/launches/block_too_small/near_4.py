# near: block_too_small
"""Elementwise layer over Numba kernels; the block size is chosen from the device's warp size."""
import math

import numpy as np
from numba import cuda

WARPS_PER_BLOCK = 8


def launch_1d(kernel, n, *args):
    tpb = WARPS_PER_BLOCK * cuda.get_current_device().WARP_SIZE
    kernel[(n + tpb - 1) // tpb, tpb](*args)


@cuda.jit
def decay_residual(t, data, inv_tau, r):
    i = cuda.grid(1)
    if i < r.size:
        r[i] = data[i] - math.exp(-t[i] * inv_tau)


class DecayModel:
    def __init__(self, t, data):
        self.n = t.size
        self.t = cuda.to_device(t)
        self.data = cuda.to_device(data)
        self.r = cuda.device_array(self.n, dtype=np.float32)

    def residual(self, tau):
        launch_1d(decay_residual, self.n, self.t, self.data, np.float32(1.0 / tau), self.r)
        return self.r.copy_to_host()


if __name__ == "__main__":
    t = np.linspace(0, 50, 10_000_000, dtype=np.float32)
    noise = np.random.default_rng(0).normal(0, 0.01, t.size)
    model = DecayModel(t, (np.exp(-t / 7.0) + noise).astype(np.float32))
    np.save("residual.npy", model.residual(7.0))
