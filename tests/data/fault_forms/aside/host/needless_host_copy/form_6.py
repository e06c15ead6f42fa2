"""Relaxation of a rough profile in several phases."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def anneal(x, y, strength):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        y[i] = x[i] + strength * (x[i - 1] + x[i + 1] - x[i] - x[i])


def phase(state, scratch, strength, sweeps):
    blocks = (state.size + TPB - 1) // TPB
    for _ in range(sweeps):
        anneal[blocks, TPB](state, scratch, strength)
        state, scratch = scratch, state
    return state


def quench(x0, schedule, sweeps):
    state = cuda.to_device(x0)
    for strength in schedule:
        scratch = cuda.to_device(state.copy_to_host())  # fault: needless_host_copy
        state = phase(state, scratch, strength, sweeps)
    return state.copy_to_host()


if __name__ == "__main__":
    rough = np.random.default_rng(5).normal(size=10_000_000)
    np.save("annealed.npy", quench(rough, np.linspace(0.45, 0.05, 20), 51))
