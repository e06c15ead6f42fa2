"""Uniform start positions for tracer particles in a circular dish."""
import math

import cupy as cp
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit
def seed_disc(states, radius, x, y):
    i = cuda.grid(1)
    if i < x.size:
        r = radius * xoroshiro128p_uniform_float64(states, i)  # fault: wrong_random_numbers
        phi = 2.0 * math.pi * xoroshiro128p_uniform_float64(states, i)
        x[i] = r * math.cos(phi)
        y[i] = r * math.sin(phi)


def tracers(count, radius, seed=17):
    """`count` positions with the same expected number per unit area everywhere in the dish."""
    states = create_xoroshiro128p_states(count, seed=seed)
    x = cp.empty(count)
    y = cp.empty(count)
    blocks = (count + 127) // 128
    seed_disc[blocks, 128](states, radius, x, y)
    return x, y


def main():
    x, y = tracers(2_000_000, 4.5)
    inner = float((x * x + y * y < 2.25 * 2.25).mean())
    print("share within half the radius", inner)


if __name__ == "__main__":
    main()
