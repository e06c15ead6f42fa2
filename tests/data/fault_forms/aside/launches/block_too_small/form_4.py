"""Explicit heat equation on a regular 3-D grid."""
import numpy as np
from numba import cuda, float64, void

BLOCK = (2, 2, 2)


@cuda.jit(void(float64[:, :, ::1], float64[:, :, ::1], float64))
def heat_step(u, u_next, r):
    k = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    i = cuda.blockIdx.z * cuda.blockDim.z + cuda.threadIdx.z
    nz, ny, nx = u.shape
    if 0 < i < nz - 1 and 0 < j < ny - 1 and 0 < k < nx - 1:
        c = u[i, j, k]
        u_next[i, j, k] = c + r * (u[i, j, k - 1] + u[i, j, k + 1]
                                   + u[i, j - 1, k] + u[i, j + 1, k]
                                   + u[i - 1, j, k] + u[i + 1, j, k] - 6.0 * c)


def diffuse(u0, r, steps):
    nz, ny, nx = u0.shape
    grid = ((nx + BLOCK[0] - 1) // BLOCK[0],
            (ny + BLOCK[1] - 1) // BLOCK[1],
            (nz + BLOCK[2] - 1) // BLOCK[2])
    a = cuda.to_device(u0)
    b = cuda.to_device(u0)
    for _ in range(steps):
        heat_step[grid, BLOCK](a, b, r)  # fault: block_too_small
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    u0 = np.zeros((384, 384, 384))
    u0[150:230, 150:230, 150:230] = 100.0
    u = diffuse(u0, 0.1, 200)
    print(u.mean(), u.max())
