import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def ou_step(x, theta, sigma, dt, z):
    return x - theta * x * dt + sigma * math.sqrt(dt) * z


@cuda.jit
def step_paths(x, noise, t, theta, sigma, dt):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = ou_step(x[i], theta, sigma, dt, noise[t, i])


def terminal_values(noise, theta, sigma, dt):
    """Ornstein-Uhlenbeck paths; noise has a row for each step."""
    steps, paths = noise.shape
    d_noise = cuda.to_device(noise)
    d_x = cuda.to_device(np.zeros(paths))
    config = (paths + 127) // 128, 128
    t = 0
    while t < steps:
        step_paths[config](d_x, d_noise, t, theta, sigma, dt)  # fault: launch_in_loop
        t += 1
    return d_x.copy_to_host()


if __name__ == "__main__":
    noise = np.random.default_rng(4).normal(size=(5_000, 100_000))
    np.save("terminal.npy", terminal_values(noise, 0.5, 0.2, 1e-3))
