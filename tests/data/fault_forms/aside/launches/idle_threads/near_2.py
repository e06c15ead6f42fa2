# near: idle_threads
"""Prior added to the class scores of each sample, by flat index."""
import numpy as np
from numba import cuda

TPB = 256
CLASSES = 16


@cuda.jit
def add_prior(scores, prior):
    i = cuda.grid(1)
    if i < scores.size:
        scores[i] += prior[i & (CLASSES - 1)]


def with_prior(scores, prior):
    assert scores.shape[1] == CLASSES
    flat = cuda.to_device(scores.reshape(-1))
    add_prior[(flat.size + TPB - 1) // TPB, TPB](flat, cuda.to_device(prior))
    return flat.copy_to_host().reshape(scores.shape)


if __name__ == "__main__":
    scores = np.random.default_rng(1).normal(size=(2_000_000, CLASSES))
    print(with_prior(scores, np.log(np.full(CLASSES, 1.0 / CLASSES))).mean())
