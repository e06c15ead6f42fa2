"""American put by backward induction: one option per block, tree nodes on the threads."""
import math

import numpy as np
from numba import cuda, float64

STEPS = 255
WIDTH = STEPS + 1


@cuda.jit
def american_put(spot, strike, log_up, prob, disc, price):
    nodes = cuda.shared.array(WIDTH, dtype=float64)
    j = cuda.threadIdx.x
    opt = cuda.blockIdx.x
    s0 = spot[opt]
    k = strike[opt]
    nodes[j] = max(k - s0 * math.exp(log_up * (2 * j - STEPS)), 0.0)
    cuda.syncthreads()
    for step in range(STEPS - 1, -1, -1):
        hold = 0.0
        if j <= step:
            hold = disc * (prob * nodes[j] + (1.0 - prob) * nodes[j + 1])  # fault: wrong_index
        cuda.syncthreads()
        if j <= step:
            nodes[j] = max(hold, k - s0 * math.exp(log_up * (2 * j - step)))
        cuda.syncthreads()
    if j == 0:
        price[opt] = nodes[0]


def price_puts(spot, strike, rate=0.03, vol=0.25, years=1.0):
    dt = years / STEPS
    up = math.exp(vol * math.sqrt(dt))
    prob = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)  # risk-neutral probability of the upper node
    d_price = cuda.device_array(spot.size, dtype=np.float64)
    american_put[spot.size, WIDTH](
        cuda.to_device(spot), cuda.to_device(strike), math.log(up), prob, math.exp(-rate * dt), d_price
    )
    return d_price.copy_to_host()


if __name__ == "__main__":
    n = 20000
    print(price_puts(np.random.uniform(80, 120, n), np.full(n, 100.0))[:4])
