import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit
def estimate_pi(states, samples, hits):
    i = cuda.grid(1)
    if i < hits.size:
        inside = 0
        for _ in range(samples):
            x = xoroshiro128p_uniform_float64(states, cuda.threadIdx.x)  # fault: wrong_random_numbers
            y = xoroshiro128p_uniform_float64(states, cuda.threadIdx.x)  # fault: wrong_random_numbers
            if x * x + y * y <= 1.0:
                inside += 1
        hits[i] = inside


def main():
    threads = 128
    blocks = 1024
    samples = 10_000
    states = create_xoroshiro128p_states(threads * blocks, seed=42)
    d_hits = cuda.device_array(threads * blocks, dtype=np.int32)
    estimate_pi[blocks, threads](states, samples, d_hits)
    print(4.0 * d_hits.copy_to_host().mean() / samples)


if __name__ == "__main__":
    main()
