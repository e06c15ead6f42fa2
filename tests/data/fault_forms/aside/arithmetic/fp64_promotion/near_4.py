# near: fp64_promotion
"""Orbit propagation in double precision: the state is stored as float64 throughout."""
import math

import numpy as np
from numba import cuda

MU = 398600.4418
TPB = 128


@cuda.jit
def kick_drift(pos, vel, dt, steps):
    """pos and vel are (3, n) in km and km/s."""
    i = cuda.grid(1)
    if i >= pos.shape[1]:
        return
    x, y, z = pos[0, i], pos[1, i], pos[2, i]
    u, v, w = vel[0, i], vel[1, i], vel[2, i]
    for _ in range(steps):
        r2 = x * x + y * y + z * z
        a = -MU * dt / (r2 * math.sqrt(r2))
        u += a * x
        v += a * y
        w += a * z
        x += dt * u
        y += dt * v
        z += dt * w
    pos[0, i], pos[1, i], pos[2, i] = x, y, z
    vel[0, i], vel[1, i], vel[2, i] = u, v, w


def propagate(pos, vel, dt, steps):
    d_pos, d_vel = cuda.to_device(pos), cuda.to_device(vel)
    kick_drift[(pos.shape[1] + TPB - 1) // TPB, TPB](d_pos, d_vel, dt, steps)
    return d_pos.copy_to_host(), d_vel.copy_to_host()


if __name__ == "__main__":
    n = 500_000
    r = np.linspace(6800.0, 42000.0, n)
    p = np.zeros((3, n))
    p[0] = r
    s = np.zeros((3, n))
    s[1] = np.sqrt(MU / r)
    print(np.abs(np.linalg.norm(propagate(p, s, 1.0, 5000)[0], axis=0) - r).max())
