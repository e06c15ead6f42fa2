# near: unfused_passes
"""Perona-Malik diffusion: the second pass needs neighbours' conductances from the first."""
import cupy as cp
from numba import cuda


@cuda.jit
def conductance(u, inv_k2, g):
    x, y = cuda.grid(2)
    h, w = u.shape
    if x < w and y < h:
        xr = min(x + 1, w - 1)
        yd = min(y + 1, h - 1)
        dx = u[y, xr] - u[y, x]
        dy = u[yd, x] - u[y, x]
        g[y, x] = 1.0 / (1.0 + (dx * dx + dy * dy) * inv_k2)


@cuda.jit
def diffuse(u, g, dt):
    x, y = cuda.grid(2)
    h, w = g.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        u[y, x] += dt * (g[y, x - 1] + g[y, x + 1] + g[y - 1, x] + g[y + 1, x] - 4.0 * g[y, x])


def enhance(u, steps, k=0.1, dt=0.05):
    g = cp.empty_like(u)
    grid = ((u.shape[1] + 31) // 32, (u.shape[0] + 7) // 8)
    for _ in range(steps):
        conductance[grid, (32, 8)](u, 1.0 / (k * k), g)
        diffuse[grid, (32, 8)](u, g, dt)
    return u


if __name__ == "__main__":
    print(float(enhance(cp.random.rand(4096, 4096), 50).std()))
