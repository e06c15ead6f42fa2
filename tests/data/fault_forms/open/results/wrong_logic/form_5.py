"""Metropolis sweeps of the 2-D Ising model on a checkerboard."""
import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit
def half_sweep(spins, parity, beta, states):
    pair, row = cuda.grid(2)
    n = spins.shape[0]
    half = n // 2
    if row < n and pair < half:
        col = 2 * pair + ((row + parity) & 1)
        up = row - 1 if row > 0 else n - 1
        down = row + 1 if row < n - 1 else 0
        left = col - 1 if col > 0 else n - 1
        right = col + 1 if col < n - 1 else 0
        field = spins[up, col] + spins[down, col] + spins[row, left] + spins[row, right]
        delta = 2.0 * spins[row, col] * field
        u = xoroshiro128p_uniform_float64(states, row * half + pair)
        if delta <= 0.0 and u < math.exp(-beta * delta):  # fault: wrong_logic
            spins[row, col] = -spins[row, col]


def magnetisation(n, beta, sweeps):
    spins = cuda.to_device(np.random.choice(np.array([-1, 1], dtype=np.int8), (n, n)))
    assert n % 2 == 0
    threads = (32, 4)
    blocks = ((n // 2 + 31) // 32, (n + 3) // 4)
    states = create_xoroshiro128p_states(n * n // 2, seed=11)
    for _ in range(sweeps):
        half_sweep[blocks, threads](spins, 0, beta, states)
        half_sweep[blocks, threads](spins, 1, beta, states)
    return spins.copy_to_host().mean()


if __name__ == "__main__":
    print(magnetisation(1024, 0.6, 400))
