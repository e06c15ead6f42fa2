import numpy as np
from numba import cuda

NUM_BLOCKS = 250_000


class ParticleStepper:
    """Leapfrog drift for non-interacting tracers."""

    def __init__(self, pos, vel, dt):
        self.n = pos.shape[1]
        self.dt = dt
        self.pos = cuda.to_device(pos)
        self.vel = cuda.to_device(vel)
        self.per_block = (self.n + NUM_BLOCKS - 1) // NUM_BLOCKS

    def step(self):
        drift[NUM_BLOCKS, self.per_block](self.pos, self.vel, self.dt)  # fault: block_too_small

    def positions(self):
        return self.pos.copy_to_host()


@cuda.jit
def drift(pos, vel, dt):
    p = cuda.grid(1)
    if p >= pos.shape[1]:
        return
    for axis in range(3):
        pos[axis, p] += dt * vel[axis, p]


if __name__ == "__main__":
    count = 4_000_000
    rng = np.random.default_rng(11)
    stepper = ParticleStepper(rng.random((3, count)), rng.normal(size=(3, count)), 1e-3)
    stepper.step()
    np.save("positions.npy", stepper.positions())
