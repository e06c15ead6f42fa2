import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float32

N_PATHS = 1 << 19
N_STEPS = 252


@cuda.jit
def simulate_gbm(states, paths, s0, drift, vol):
    """Full price history of each path, one row per path."""
    path = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if path < paths.shape[0]:
        s = s0
        for t in range(paths.shape[1]):
            z = xoroshiro128p_normal_float32(states, path)
            s *= math.exp(drift + vol * z)
            paths[path, t] = s  # fault: uncoalesced


def price_histories(s0, mu, sigma, seed=17):
    threads = 128
    blocks = math.ceil(N_PATHS / threads)
    dt = 1.0 / N_STEPS
    states = create_xoroshiro128p_states(threads * blocks, seed=seed)
    d_paths = cuda.device_array((N_PATHS, N_STEPS), dtype=np.float32)
    simulate_gbm[blocks, threads](
        states, d_paths, np.float32(s0),
        np.float32((mu - 0.5 * sigma**2) * dt), np.float32(sigma * math.sqrt(dt)),
    )
    return d_paths.copy_to_host()


def main():
    histories = price_histories(100.0, 0.03, 0.2)
    running_max = histories.max(axis=1)
    lookback = np.maximum(running_max - 105.0, 0.0).mean() * math.exp(-0.03)
    print(f"lookback call: {lookback:.4f}")


if __name__ == "__main__":
    main()
