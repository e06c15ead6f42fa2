import math

import numpy as np
from numba import cuda, float32

N = 4096
STEPS = 500
TPB = (32, 8)
BPG = (math.ceil(N / TPB[0]), math.ceil(N / TPB[1]))


@cuda.jit
def laplace_step(phi):
    j, i = cuda.grid(2)
    if 0 < i < phi.shape[0] - 1 and 0 < j < phi.shape[1] - 1:
        phi[i, j] = float32(0.25) * (phi[i - 1, j] + phi[i + 1, j] + phi[i, j - 1] + phi[i, j + 1])  # fault: data_race


def initial_potential():
    phi = np.zeros((N, N), dtype=np.float32)
    phi[0, :] = 1.0
    phi[:, -1] = -1.0
    return phi


def solve():
    d_phi = cuda.to_device(initial_potential())
    for _ in range(STEPS):
        laplace_step[BPG, TPB](d_phi)
    return d_phi.copy_to_host()


if __name__ == "__main__":
    potential = solve()
    print(potential[N // 2, ::512])
