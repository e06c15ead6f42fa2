"""Leapfrog integration of test particles in a fixed Plummer potential."""
import math

import numpy as np
from numba import cuda, float32


class PlummerIntegrator:
    block = 256

    def __init__(self, positions, velocities, mass=1.0, soft=0.05):
        self.n = positions.shape[0]
        self.pos = cuda.to_device(np.ascontiguousarray(positions, dtype=np.float32))
        self.vel = cuda.to_device(np.ascontiguousarray(velocities, dtype=np.float32))
        self.mass = np.float32(mass)
        self.soft2 = np.float32(soft * soft)

    @property
    def grid(self):
        return (self.n + self.block - 1) // self.block

    def advance(self, dt, nsteps):
        leapfrog[self.grid, self.block](self.pos, self.vel, self.mass, self.soft2, np.float32(dt), nsteps)

    def download(self):
        return self.pos.copy_to_host(), self.vel.copy_to_host()


@cuda.jit
def leapfrog(pos, vel, mass, soft2, dt, nsteps):
    p = cuda.grid(1)
    if p >= pos.shape[0]:
        return
    x, y, z = pos[p, 0], pos[p, 1], pos[p, 2]
    u, v, w = vel[p, 0], vel[p, 1], vel[p, 2]
    for _ in range(nsteps):
        r2 = x * x + y * y + z * z + soft2
        inv = float32(1.0) / math.sqrt(r2)
        a = -mass * inv * inv * inv * dt
        u += a * x
        v += a * y
        w += a * z
        x += u * dt
        y += v * dt
        z += w * dt
    pos[p, 0], pos[p, 1], pos[p, 2] = x, y, z
    vel[p, 0], vel[p, 1], vel[p, 2] = u, v, w


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    sim = PlummerIntegrator(rng.normal(size=(4_000_000, 3)), rng.normal(size=(4_000_000, 3)) * 0.1)
    sim.advance(1e-3, 4)
    xyz, _ = sim.download()
    print(xyz.std(axis=0))
