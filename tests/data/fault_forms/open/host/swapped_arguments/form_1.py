import math

import numpy as np
from numba import cuda


@cuda.jit
def black_scholes_call(spot, strike, tenor, rate, vol, price):
    i = cuda.grid(1)
    if i < price.size:
        sd = vol * math.sqrt(tenor[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * vol * vol) * tenor[i]) / sd
        d2 = d1 - sd
        nd1 = 0.5 * math.erfc(-d1 * 0.7071067811865476)
        nd2 = 0.5 * math.erfc(-d2 * 0.7071067811865476)
        price[i] = spot[i] * nd1 - strike[i] * math.exp(-rate * tenor[i]) * nd2


def value_calls(spot, strike, tenor, rate=0.02, vol=0.3):
    d_spot = cuda.to_device(spot)
    d_strike = cuda.to_device(strike)
    d_tenor = cuda.to_device(tenor)
    d_price = cuda.device_array(spot.size, dtype=np.float64)
    threads = 256
    blocks = (spot.size + threads - 1) // threads
    black_scholes_call[blocks, threads](d_strike, d_spot, d_tenor, rate, vol, d_price)  # fault: swapped_arguments
    return d_price.copy_to_host()


if __name__ == "__main__":
    n = 4_000_000
    rng = np.random.default_rng(2)
    print(value_calls(rng.uniform(80, 120, n), rng.uniform(60, 140, n), rng.uniform(0.1, 2, n))[:5])
