# near: data_race
"""Laplace equation, red and black cells in turn: a cell's four neighbours have the other colour."""
import math

import numpy as np
from numba import cuda, float32

N = 4096
TPB = (32, 8)
BPG = (math.ceil(N / 2 / TPB[0]), math.ceil(N / TPB[1]))


@cuda.jit
def sweep(phi, colour):
    c, i = cuda.grid(2)
    j = 2 * c + (i + colour) % 2
    if 0 < i < phi.shape[0] - 1 and 0 < j < phi.shape[1] - 1:
        phi[i, j] = float32(0.25) * (phi[i - 1, j] + phi[i + 1, j] + phi[i, j - 1] + phi[i, j + 1])


def solve(steps=500):
    phi = np.zeros((N, N), dtype=np.float32)
    phi[0, :] = 1.0
    phi[:, -1] = -1.0
    d_phi = cuda.to_device(phi)
    for _ in range(steps):
        sweep[BPG, TPB](d_phi, 0)
        sweep[BPG, TPB](d_phi, 1)
    return d_phi.copy_to_host()


if __name__ == "__main__":
    print(solve()[N // 2, ::512])
