# near: wrong_logic
"""Metropolis sweeps of the 2-D Ising model on a checkerboard."""
import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit
def half_sweep(spins, parity, beta, states):
    col2, row = cuda.grid(2)
    n = spins.shape[0]
    if row >= n or 2 * col2 >= n:
        return
    col = 2 * col2 + ((row + parity) & 1)
    up = row - 1 if row > 0 else n - 1
    down = row + 1 if row < n - 1 else 0
    left = col - 1 if col > 0 else n - 1
    right = col + 1 if col < n - 1 else 0
    field = spins[up, col] + spins[down, col] + spins[row, left] + spins[row, right]
    delta = 2.0 * spins[row, col] * field
    u = xoroshiro128p_uniform_float64(states, row * (n // 2) + col2)
    if delta <= 0.0 or u < math.exp(-beta * delta):
        spins[row, col] = -spins[row, col]


def magnetisation(n, beta, sweeps):
    assert n % 2 == 0
    spins = cuda.to_device(np.random.choice(np.array([-1, 1], dtype=np.int8), (n, n)))
    blocks = ((n // 2 + 31) // 32, (n + 7) // 8)
    states = create_xoroshiro128p_states(n * n // 2, seed=11)
    for _ in range(sweeps):
        half_sweep[blocks, (32, 8)](spins, 0, beta, states)
        half_sweep[blocks, (32, 8)](spins, 1, beta, states)
    return spins.copy_to_host().mean()


if __name__ == "__main__":
    print(magnetisation(1024, 0.6, 4000))
