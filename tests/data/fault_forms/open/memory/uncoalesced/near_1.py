# near: uncoalesced
import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64

N_PATHS = 1 << 18
N_STEPS = 250


@cuda.jit
def simulate_vasicek(states, r0, kappa, theta, sigma, dt, rates):
    p = cuda.grid(1)
    if p < rates.shape[1]:
        vol = sigma * math.sqrt(dt)
        r = r0
        for t in range(rates.shape[0]):
            r += kappa * (theta - r) * dt + vol * xoroshiro128p_normal_float64(states, p)
            rates[t, p] = r


if __name__ == "__main__":
    tpb = 256
    bpg = (N_PATHS + tpb - 1) // tpb
    states = create_xoroshiro128p_states(N_PATHS, seed=99)
    d_rates = cuda.device_array((N_STEPS, N_PATHS), dtype=np.float64)
    simulate_vasicek[bpg, tpb](states, 0.02, 0.8, 0.03, 0.01, 1.0 / N_STEPS, d_rates)
    np.save("short_rates.npy", d_rates.copy_to_host())
