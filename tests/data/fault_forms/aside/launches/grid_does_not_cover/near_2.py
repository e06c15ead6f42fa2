# near: grid_does_not_cover
"""Interior update only: the launch leaves out the fixed boundary."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def relax(u, v):
    x, y = cuda.grid(2)
    x += 1
    y += 1
    if x < u.shape[1] - 1 and y < u.shape[0] - 1:
        v[y, x] = 0.25 * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x])


def solve(boundary, sweeps):
    ny, nx = boundary.shape
    grid = (-(-(nx - 2) // BLOCK[0]), -(-(ny - 2) // BLOCK[1]))
    a = cuda.to_device(boundary)
    b = cuda.to_device(boundary)
    for _ in range(sweeps):
        relax[grid, BLOCK](a, b)
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    plate = np.zeros((3000, 5000))
    plate[0, :] = 1.0
    print(solve(plate, 1000).sum())
