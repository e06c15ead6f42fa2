# near: copy_in_loop
"""Repeated smoothing of a field."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def smooth(a, b):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        b[y, x] = 0.5 * a[y, x] + 0.125 * (a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x])


def smooth_many(field, rounds):
    ny, nx = field.shape
    grid = (nx + BLOCK[0] - 1) // BLOCK[0], (ny + BLOCK[1] - 1) // BLOCK[1]
    a = cuda.to_device(field)
    b = cuda.device_array_like(a)
    b.copy_to_device(a)
    for _ in range(rounds):
        smooth[grid, BLOCK](a, b)
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    np.save("smooth.npy", smooth_many(np.random.default_rng(0).random((4000, 4000)), 300))
