"""Overdamped Langevin dynamics in a double well."""
import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


class Langevin:
    """dx = (x - x^3) dt + sqrt(2 T dt) xi with white Gaussian noise xi."""

    def __init__(self, n, temperature, dt, seed=0):
        self.d_x = cuda.to_device(np.full(n, -1.0))
        self.states = create_xoroshiro128p_states(n, seed=seed)
        self.dt = dt
        self.noise = math.sqrt(2.0 * temperature * dt)
        self.config = ((n + 127) // 128, 128)

    @staticmethod
    @cuda.jit
    def _advance(x, states, steps, dt, noise):
        i = cuda.grid(1)
        if i < x.size:
            v = x[i]
            for _ in range(steps):
                xi = xoroshiro128p_uniform_float64(states, i)  # fault: wrong_random_numbers
                v += (v - v * v * v) * dt + noise * xi
            x[i] = v

    def run(self, steps):
        self._advance[self.config](self.d_x, self.states, steps, self.dt, self.noise)
        return self.d_x.copy_to_host()


if __name__ == "__main__":
    x = Langevin(1_000_000, 0.25, 1e-3).run(5000)
    print("mean", x.mean(), "crossed", (x > 0).mean())
