# near: launch_in_loop
"""Shallow-water style update where a step needs the neighbours' previous step."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def update_velocity(h, u, v, c):
    x, y = cuda.grid(2)
    if 0 < x < h.shape[1] and 0 < y < h.shape[0]:
        u[y, x] -= c * (h[y, x] - h[y, x - 1])
        v[y, x] -= c * (h[y, x] - h[y - 1, x])


@cuda.jit
def update_height(h, u, v, c):
    x, y = cuda.grid(2)
    if x < h.shape[1] - 1 and y < h.shape[0] - 1:
        h[y, x] -= c * (u[y, x + 1] - u[y, x] + v[y + 1, x] - v[y, x])


def run(h0, c, steps):
    ny, nx = h0.shape
    grid = (nx + BLOCK[0] - 1) // BLOCK[0], (ny + BLOCK[1] - 1) // BLOCK[1]
    h = cuda.to_device(h0)
    u = cuda.to_device(np.zeros_like(h0))
    v = cuda.to_device(np.zeros_like(h0))
    for _ in range(steps):
        update_velocity[grid, BLOCK](h, u, v, c)
        update_height[grid, BLOCK](h, u, v, c)
    return h.copy_to_host()


if __name__ == "__main__":
    h0 = np.ones((3000, 3000))
    h0[1400:1600, 1400:1600] = 1.2
    np.save("height.npy", run(h0, 0.3, 2000))
