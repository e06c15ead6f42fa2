"""Time of one Verlet step as a function of the number of oscillators."""
import timeit

import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def verlet(x, v, omega2, dt):
    i = cuda.grid(1)
    if i < x.size:
        half = v[i] - 0.5 * dt * omega2 * x[i]
        x[i] += dt * half
        v[i] = half - 0.5 * dt * omega2 * x[i]


def step_seconds(n):
    x = cp.random.standard_normal(n)
    v = cp.zeros(n)
    blocks = (n + 127) // 128

    def step():
        verlet[blocks, 128](x, v, 2.5, 1e-3)
        cuda.synchronize()

    return timeit.timeit(step, number=1)  # fault: timing_includes_compile


if __name__ == "__main__":
    sizes = [50_000_000, 5_000_000, 500_000]
    for n in sizes:
        print(f"{n:>10d}  {step_seconds(n):.6f} s")
