"""Relaxation of a truss: forces and positions alternate between two kernels."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def spring_forces(pos, rest, stiffness, force):
    i = cuda.grid(1)
    if 0 < i < pos.size - 1:
        left = pos[i] - pos[i - 1] - rest
        right = pos[i + 1] - pos[i] - rest
        force[i] = stiffness * (right - left)


@cuda.jit
def move(pos, vel, force, dt):
    i = cuda.grid(1)
    if 0 < i < pos.size - 1:
        vel[i] = 0.999 * (vel[i] + dt * force[i])
        pos[i] += dt * vel[i]


def relax_chain(pos, rest, stiffness, dt, steps):
    n = pos.size
    blocks = (n + TPB - 1) // TPB
    d_pos = cuda.to_device(pos)
    d_vel = cuda.to_device(np.zeros(n))
    force = np.zeros_like(pos)
    for _ in range(steps):
        spring_forces[blocks, TPB](d_pos, rest, stiffness, force)  # fault: implicit_host_copy
        move[blocks, TPB](d_pos, d_vel, force, dt)  # fault: implicit_host_copy
    return d_pos.copy_to_host()


if __name__ == "__main__":
    n = 2_000_000
    start = np.arange(n) + np.random.default_rng(5).normal(0.0, 0.1, n)
    print(np.diff(relax_chain(start, 1.0, 5.0, 0.01, 2000)).std())
