import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def d_one(s, k, r, q, sigma, tau):
    return (math.log(s / k) + (r - q + 0.5 * sigma * sigma) * tau) / (sigma * math.sqrt(tau))


@cuda.jit(device=True)
def norm_cdf(x):
    return 0.5 * math.erfc(-x * 0.7071067811865476)


@cuda.jit
def call_surface(spot, strikes, expiries, vols, r, q, price):
    first_t, first_k = cuda.grid(2)
    step_t, step_k = cuda.gridsize(2)
    for it in range(first_t, expiries.size, step_t):
        tau = expiries[it]
        for ik in range(first_k, strikes.size, step_k):
            k = strikes[ik]
            sigma = vols[it, ik]  # fault: index_order_transposed
            d1 = d_one(spot, k, r, q, sigma, tau)
            d2 = d1 - sigma * math.sqrt(tau)
            price[it, ik] = (spot * math.exp(-q * tau) * norm_cdf(d1)  # fault: index_order_transposed
                             - k * math.exp(-r * tau) * norm_cdf(d2))


def price_surface(spot, strikes, expiries, vols, r=0.02, q=0.0):
    """Call prices for vols[expiry, strike]."""
    d_k = cuda.to_device(np.asarray(strikes, dtype=np.float64))
    d_t = cuda.to_device(np.asarray(expiries, dtype=np.float64))
    d_v = cuda.to_device(np.ascontiguousarray(vols, dtype=np.float64))
    d_p = cuda.device_array((d_t.size, d_k.size), dtype=np.float64)
    call_surface[(64, 64), (32, 8)](spot, d_k, d_t, d_v, r, q, d_p)
    return d_p.copy_to_host()
