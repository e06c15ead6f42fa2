"""Metropolis sweeps of the 2-D Ising model on a checkerboard."""
import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit
def half_sweep(spins, parity, beta, states):
    k = cuda.grid(1)
    n = spins.shape[0]
    half = n // 2
    for site in range(k, n * half, cuda.gridsize(1)):
        row = site // half
        col = 2 * (site - row * half) + ((row + parity) & 1)
        up = row - 1 if row > 0 else n - 1
        down = row + 1 if row < n - 1 else 0
        left = col - 1 if col > 0 else n - 1
        right = col + 1 if col < n - 1 else 0
        field = spins[up, col] + spins[down, col] + spins[row, left] + spins[row, right]
        delta = 2.0 * spins[row, col] * field
        u = xoroshiro128p_uniform_float64(states, k)
        if delta <= 0.0 and u < math.exp(-beta * delta):  # fault: wrong_logic
            spins[row, col] = -spins[row, col]


def magnetisation(n, beta, sweeps):
    spins = cuda.to_device(np.random.choice(np.array([-1, 1], dtype=np.int8), (n, n)))
    threads, blocks = 128, 256
    states = create_xoroshiro128p_states(threads * blocks, seed=11)
    for _ in range(sweeps):
        half_sweep[blocks, threads](spins, 0, beta, states)
        half_sweep[blocks, threads](spins, 1, beta, states)
    return spins.copy_to_host().mean()


if __name__ == "__main__":
    print(magnetisation(2048, 0.6, 400))
