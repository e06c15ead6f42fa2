import math

import numpy as np
from numba import cuda


@cuda.jit
def price_and_greeks(spot, strike, tenor, rate, vol, price, delta, gamma, vega, theta):
    i = cuda.grid(1)
    if i >= spot.size:
        return
    t = tenor[i]
    root = math.sqrt(t)
    d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * vol * vol) * t) / (vol * root)
    d2 = d1 - vol * root
    n1 = 0.5 * math.erfc(-d1 * 0.7071067811865476)
    n2 = 0.5 * math.erfc(-d2 * 0.7071067811865476)
    pdf = 0.3989422804014327 * math.exp(-0.5 * d1 * d1)
    disc = strike[i] * math.exp(-rate * t)
    price[i] = spot[i] * n1 - disc * n2
    delta[i] = n1
    gamma[i] = pdf / (spot[i] * vol * root)  # fault: wasted_computation
    vega[i] = spot[i] * pdf * root  # fault: wasted_computation
    theta[i] = -spot[i] * pdf * vol / (2.0 * root) - rate * disc * n2  # fault: wasted_computation


def hedge_ratios(spot, strike, tenor, rate=0.02, vol=0.3):
    n = spot.size
    inputs = [cuda.to_device(a) for a in (spot, strike, tenor)]
    price, delta, gamma, vega, theta = (cuda.device_array(n) for _ in range(5))
    price_and_greeks[(n + 127) // 128, 128](*inputs, rate, vol, price, delta, gamma, vega, theta)
    return price.copy_to_host(), delta.copy_to_host()


if __name__ == "__main__":
    n = 4_000_000
    rng = np.random.default_rng(8)
    p, d = hedge_ratios(rng.uniform(80, 120, n), rng.uniform(80, 120, n), rng.uniform(0.1, 2.0, n))
    print(p.mean(), d.mean())
