"""Brownian dynamics of free particles, single precision state."""
import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64

TPB = 128


@cuda.jit
def diffuse(states, x, y, sigma, nsteps):
    p = cuda.grid(1)
    if p >= x.size:
        return
    px = x[p]
    py = y[p]
    for _ in range(nsteps):
        px += sigma * np.float32(xoroshiro128p_normal_float64(states, p))  # fault: fp64_promotion
        py += sigma * np.float32(xoroshiro128p_normal_float64(states, p))  # fault: fp64_promotion
    x[p] = px
    y[p] = py


class Ensemble:
    def __init__(self, n, diffusion, seed=0):
        self.n = n
        self.diffusion = diffusion
        self.rng = create_xoroshiro128p_states(n, seed=seed)
        zero = np.zeros(n, dtype=np.float32)
        self.x = cuda.to_device(zero)
        self.y = cuda.to_device(zero)

    def advance(self, dt, nsteps):
        sigma = np.float32(np.sqrt(2.0 * self.diffusion * dt))
        diffuse[(self.n + TPB - 1) // TPB, TPB](self.rng, self.x, self.y, sigma, nsteps)

    def msd(self):
        x, y = self.x.copy_to_host(), self.y.copy_to_host()
        return float(np.mean(x * x + y * y))


if __name__ == "__main__":
    ens = Ensemble(1_000_000, 0.5)
    ens.advance(1e-3, 1000)
    print(ens.msd(), "expected", 4 * 0.5)
