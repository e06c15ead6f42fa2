import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64

N_PATHS = 1 << 18
N_STEPS = 252


@cuda.jit
def simulate_gbm(states, s0, mu, sigma, dt, paths):
    p = cuda.grid(1)
    if p < paths.shape[0]:
        drift = (mu - 0.5 * sigma * sigma) * dt
        vol = sigma * math.sqrt(dt)
        s = s0
        for t in range(paths.shape[1]):
            z = xoroshiro128p_normal_float64(states, p)
            s *= math.exp(drift + vol * z)
            paths[p, t] = s  # fault: uncoalesced


@cuda.jit
def running_max(paths, peak):
    p = cuda.grid(1)
    if p < paths.shape[0]:
        best = 0.0
        for t in range(paths.shape[1]):
            best = max(best, paths[p, t])  # fault: uncoalesced
        peak[p] = best


def lookback_call(s0, strike, rate, sigma):
    tpb = 256
    bpg = (N_PATHS + tpb - 1) // tpb
    states = create_xoroshiro128p_states(N_PATHS, seed=2718)
    paths = cuda.device_array((N_PATHS, N_STEPS), dtype=np.float64)
    peak = cuda.device_array(N_PATHS, dtype=np.float64)
    simulate_gbm[bpg, tpb](states, s0, rate, sigma, 1.0 / N_STEPS, paths)
    running_max[bpg, tpb](paths, peak)
    payoff = np.maximum(peak.copy_to_host() - strike, 0.0)
    return math.exp(-rate) * payoff.mean(), paths


if __name__ == "__main__":
    price, paths = lookback_call(100.0, 105.0, 0.03, 0.2)
    np.save("paths.npy", paths.copy_to_host())
    print(f"lookback call: {price:.4f}")
