"""Structured-grid velocity diagnostics."""
import numpy as np
from numba import cuda


@cuda.jit
def divergence(u, v, inv_2h, div):
    x, y = cuda.grid(2)
    h, w = u.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        div[y, x] = (u[y, x + 1] - u[y, x - 1] + v[y + 1, x] - v[y - 1, x]) * inv_2h


@cuda.jit
def vorticity(u, v, inv_2h, vort):
    x, y = cuda.grid(2)
    h, w = u.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        vort[y, x] = (v[y, x + 1] - v[y, x - 1] - u[y + 1, x] + u[y - 1, x]) * inv_2h


@cuda.jit
def strain(u, v, inv_2h, shear):
    x, y = cuda.grid(2)
    h, w = u.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        shear[y, x] = (v[y, x + 1] - v[y, x - 1] + u[y + 1, x] - u[y - 1, x]) * inv_2h


def diagnostics(u, v, spacing):
    d_u, d_v = cuda.to_device(u), cuda.to_device(v)
    fields = [cuda.to_device(np.zeros(u.shape)) for _ in range(3)]
    threads = (32, 8)
    blocks = ((u.shape[1] + 31) // 32, (u.shape[0] + 7) // 8)
    inv = 0.5 / spacing
    divergence[blocks, threads](d_u, d_v, inv, fields[0])
    vorticity[blocks, threads](d_u, d_v, inv, fields[1])  # fault: unfused_passes
    strain[blocks, threads](d_u, d_v, inv, fields[2])  # fault: unfused_passes
    return [f.copy_to_host() for f in fields]


if __name__ == "__main__":
    u, v = np.random.rand(2, 5000, 5000)
    print([f.std() for f in diagnostics(u, v, 0.01)])
