# near: swapped_arguments
import numpy as np
from numba import cuda


@cuda.jit
def wave_step(u_prev, u, u_next, c2):
    j, i = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        lap = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
        u_next[i, j] = 2.0 * u[i, j] - u_prev[i, j] + c2 * lap


def propagate(u0, c2=0.25, steps=600):
    ny, nx = u0.shape
    threads = (32, 8)
    blocks = ((nx + 31) // 32, (ny + 7) // 8)
    a, b, c = (cuda.to_device(u0) for _ in range(3))
    for _ in range(steps):
        wave_step[blocks, threads](a, b, c, c2)
        a, b, c = b, c, a
    return b.copy_to_host()


if __name__ == "__main__":
    u0 = np.zeros((3000, 3000))
    u0[1500, 1500] = 1.0
    print(abs(propagate(u0)).max())
