import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


@cuda.jit(device=True)
def gaussian(states, i):
    u = xoroshiro128p_uniform_float64(states, i)
    return math.sqrt(-2.0 * math.log(1.0 - u)) * math.cos(2.0 * math.pi * u)  # fault: wrong_random_numbers


@cuda.jit
def asian_call(states, s0, strike, drift, vol_step, steps, payoff):
    i = cuda.grid(1)
    if i < payoff.size:
        s = s0
        total = 0.0
        for _ in range(steps):
            s *= math.exp(drift + vol_step * gaussian(states, i))
            total += s
        payoff[i] = max(total / steps - strike, 0.0)


def price(s0=100.0, strike=100.0, rate=0.02, vol=0.25, years=1.0, steps=252, paths=1_000_000):
    dt = years / steps
    states = create_xoroshiro128p_states(paths, seed=5)
    d_payoff = cuda.device_array(paths, dtype=np.float64)
    asian_call[(paths + 127) // 128, 128](
        states, s0, strike, (rate - 0.5 * vol * vol) * dt, vol * math.sqrt(dt), steps, d_payoff
    )
    return math.exp(-rate * years) * d_payoff.copy_to_host().mean()


if __name__ == "__main__":
    print(price())
