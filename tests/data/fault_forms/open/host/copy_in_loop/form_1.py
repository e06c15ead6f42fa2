"""Reaction-diffusion with a spatially varying feed rate."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def react(u, u_next, feed, dt):
    x, y = cuda.grid(2)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        c = u[y, x]
        lap = u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] - 4.0 * c
        u_next[y, x] = c + dt * (lap + feed[y, x] * c * (1.0 - c))


def simulate(u0, feed, dt, steps):
    ny, nx = u0.shape
    grid = (nx + BLOCK[0] - 1) // BLOCK[0], (ny + BLOCK[1] - 1) // BLOCK[1]
    a = cuda.to_device(u0)
    b = cuda.to_device(u0)
    d_feed = cuda.device_array_like(a)
    for _ in range(steps):
        d_feed.copy_to_device(feed)  # fault: copy_in_loop
        react[grid, BLOCK](a, b, d_feed, dt)
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    np.save("u.npy", simulate(rng.random((4096, 4096)) * 0.1, rng.random((4096, 4096)), 0.1, 2000))
