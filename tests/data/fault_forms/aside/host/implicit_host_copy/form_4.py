"""Genetic fitness of bit strings against a target, evaluated each generation."""
import numpy as np
from numba import cuda, int32, uint32, void


@cuda.jit(void(uint32[:, ::1], uint32[::1], int32[::1]))
def fitness(population, target, score):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= score.shape[0]:
        return
    same = 0
    for w in range(target.shape[0]):
        same += 32 - cuda.popc(population[w, i] ^ target[w])
    score[i] = same


def evolve_threshold(population, target, draws, rng):
    words, n = population.shape
    d_population = cuda.to_device(population)
    d_target = cuda.to_device(target)
    score = np.zeros(n, dtype=np.int32)
    fitness[(n + 127) // 128, 128](d_population, d_target, score)  # fault: implicit_host_copy
    picked = rng.choice(n, draws, p=score / score.sum())
    return population[:, picked]


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    population = rng.integers(0, 2**32, (16, 4_000_000), dtype=np.uint32)
    parents = evolve_threshold(population, rng.integers(0, 2**32, 16, dtype=np.uint32), 1000, rng)
    print(parents.shape)
