import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64


@cuda.jit
def terminal_values(spot, vol, rate, steps, dt, states, final):
    i = cuda.grid(1)
    if i < final.size:
        s = spot[i]
        for _ in range(steps):
            z = xoroshiro128p_normal_float64(states, i)
            drift = math.exp((rate - 0.5 * vol[i] * vol[i]) * dt)  # fault: loop_invariant_recompute
            s *= drift * math.exp(vol[i] * math.sqrt(dt) * z)
        final[i] = s


class GbmSimulator:
    def __init__(self, n_paths, seed=1):
        self.n_paths = n_paths
        self.states = create_xoroshiro128p_states(n_paths, seed=seed)
        self.final = cuda.device_array(n_paths, dtype=np.float64)
        self.config = ((n_paths + 127) // 128, 128)

    def run(self, d_spot, d_vol, rate, steps, years):
        terminal_values[self.config](d_spot, d_vol, rate, steps, years / steps, self.states, self.final)
        return self.final


if __name__ == "__main__":
    n = 500_000
    sim = GbmSimulator(n)
    out = sim.run(cuda.to_device(np.full(n, 100.0)), cuda.to_device(np.random.uniform(0.1, 0.4, n)), 0.03, 252, 1.0)
    print(out.copy_to_host().mean())
