# near: loop_invariant_recompute
"""Logistic maps with a temperature that falls at every sweep."""
import math

import cupy as cp
from numba import cuda


@cuda.jit
def anneal(x, sweeps, cooling):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        temperature = 1.0
        for _ in range(sweeps):
            v = v * math.exp(-v / temperature) + 0.1
            temperature *= cooling
        x[i] = v


def run(x, sweeps=500, cooling=0.995):
    anneal[(x.size + 127) // 128, 128](x, sweeps, cooling)
    return x


if __name__ == "__main__":
    print(float(run(cp.random.rand(2_000_000)).mean()))
