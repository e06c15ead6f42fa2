# near: wrong_random_numbers
"""Random walk with unit steps along one axis."""
import cupy as cp
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def walk(states, steps, position):
    i = cuda.grid(1)
    if i < position.size:
        p = 0
        for _ in range(steps):
            if xoroshiro128p_uniform_float32(states, i) < 0.5:
                p += 1
            else:
                p -= 1
        position[i] = p


def walkers(count, steps, seed=3):
    states = create_xoroshiro128p_states(count, seed=seed)
    position = cp.empty(count, dtype=cp.int32)
    walk[(count + 127) // 128, 128](states, steps, position)
    return position


if __name__ == "__main__":
    print(float(walkers(1_000_000, 4000).std()))
