"""Estimate of pi by Monte Carlo."""
import numpy as np
from numba import cuda, float32
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def count_hits(rng_states, samples_per_thread, hits):
    gid = cuda.grid(1)
    if gid >= hits.size:
        return
    inside = 0
    for _ in range(samples_per_thread):
        x = xoroshiro128p_uniform_float32(rng_states, gid)
        y = xoroshiro128p_uniform_float32(rng_states, gid)
        if x * x + y * y <= float32(1.0):
            inside += 1
    hits[gid] = inside


class PiEstimator:
    def __init__(self, n_threads=1024, threads_per_block=128, seed=1):
        self.threads_per_block = threads_per_block
        self.n_threads = n_threads
        self.states = create_xoroshiro128p_states(n_threads, seed=seed)
        self.hits = cuda.device_array(n_threads, dtype=np.int64)

    def __call__(self, total_samples):
        each = total_samples // self.n_threads
        n_blocks = self.n_threads // self.threads_per_block
        count_hits[n_blocks, self.threads_per_block](self.states, each, self.hits)  # fault: grid_too_small
        inside = self.hits.copy_to_host().sum()
        return 4.0 * inside / (each * self.n_threads)


if __name__ == "__main__":
    estimator = PiEstimator()
    print(estimator(10_000_000_000))
