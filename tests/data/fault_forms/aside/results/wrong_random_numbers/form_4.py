"""Bootstrap means with a small generator written by hand."""
import cupy as cp
import numpy as np
from numba import cuda

A = np.uint64(6364136223846793005)
C = np.uint64(1442695040888963407)
SHIFT = np.uint64(33)


@cuda.jit
def bootstrap_means(data, seed, means):
    r = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if r >= means.size:
        return
    n = np.uint64(data.size)
    state = np.uint64(seed)  # fault: wrong_random_numbers
    total = 0.0
    for _ in range(data.size):
        state = state * A + C
        total += data[(state >> SHIFT) % n]
    means[r] = total / data.size


def confidence_interval(data, replicates=100_000, seed=99):
    means = cp.empty(replicates)
    bootstrap_means[(replicates + 127) // 128, 128](data, seed, means)
    return [float(q) for q in cp.percentile(means, cp.asarray([2.5, 97.5]))]


if __name__ == "__main__":
    print(confidence_interval(cp.random.standard_normal(2000)))
