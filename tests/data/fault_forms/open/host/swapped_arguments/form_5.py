import numpy as np
from numba import cuda


def make_stepper(nx, ny):
    threads = (32, 8)
    blocks = ((nx + 31) // 32, (ny + 7) // 8)

    @cuda.jit
    def wave_step(u_prev, u, u_next, c2):
        j, i = cuda.grid(2)
        if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
            lap = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
            u_next[i, j] = 2.0 * u[i, j] - u_prev[i, j] + c2 * lap

    def step(prev, now, following, c2):
        wave_step[blocks, threads](now, prev, following, c2)  # fault: swapped_arguments
        return now, following, prev

    return step


def propagate(u0, c2=0.25, steps=600):
    ny, nx = u0.shape
    step = make_stepper(nx, ny)
    prev, now, following = (cuda.to_device(u0) for _ in range(3))
    for _ in range(steps):
        prev, now, following = step(prev, now, following, c2)
    return now.copy_to_host()


if __name__ == "__main__":
    u0 = np.zeros((3000, 3000))
    u0[1500, 1500] = 1.0
    print(abs(propagate(u0)).max())
