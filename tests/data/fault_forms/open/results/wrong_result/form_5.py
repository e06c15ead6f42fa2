import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def norm_cdf(d):
    return 0.5 * math.erfc(-d * 0.7071067811865476)


@cuda.jit
def price_options(spot, strike, tenor, rate, vol, call, put):
    i = cuda.grid(1)
    if i >= spot.size:
        return
    s, k, t = spot[i], strike[i], tenor[i]
    sd = vol * math.sqrt(t)
    d1 = (math.log(s / k) + (rate + 0.5 * vol * vol) * t) / sd
    d2 = d1 - sd
    disc = k * math.exp(-rate * t)
    call[i] = s * norm_cdf(d1) - disc * norm_cdf(d2)
    put[i] = disc * norm_cdf(-d2) + s * norm_cdf(-d1)  # fault: wrong_result


def price_book(spot, strike, tenor, rate, vol):
    d_spot, d_strike, d_tenor = (cuda.to_device(a) for a in (spot, strike, tenor))
    d_call = cuda.device_array(spot.size)
    d_put = cuda.device_array(spot.size)
    price_options[(spot.size + 127) // 128, 128](d_spot, d_strike, d_tenor, rate, vol, d_call, d_put)
    return d_call.copy_to_host(), d_put.copy_to_host()


if __name__ == "__main__":
    n = 4_000_000
    rng = np.random.default_rng(7)
    c, p = price_book(rng.uniform(5, 30, n), rng.uniform(1, 100, n), rng.uniform(0.25, 10, n), 0.02, 0.3)
    print(c[:3], p[:3])
