import numpy as np
from numba import cuda

# Antithetic evaluation of a portfolio under 500 rate shifts
n = 2_000_000
rng = np.random.default_rng(2)
d_duration = cuda.to_device(rng.uniform(0.5, 20.0, n))
d_value = cuda.to_device(rng.uniform(50.0, 150.0, n))
d_total = cuda.to_device(np.zeros(n))


@cuda.jit
def shocked(value, duration, shift, up, down):
    i = cuda.grid(1)
    if i < value.size:
        up[i] = value[i] * (1.0 + duration[i] * shift)
        down[i] = value[i] * (1.0 - 0.9 * duration[i] * shift)


@cuda.jit
def add_worst(up, down, total):
    i = cuda.grid(1)
    if i < total.size:
        total[i] += min(up[i], down[i])


tpb = 256
bpg = (n + tpb - 1) // tpb
for shift in np.linspace(1e-4, 5e-2, 500):
    up, down = cuda.device_array(n, np.float64), cuda.device_array(n, np.float64)  # fault: allocation_in_loop
    shocked[bpg, tpb](d_value, d_duration, shift, up, down)
    add_worst[bpg, tpb](up, down, d_total)

np.save("worst.npy", d_total.copy_to_host() / 500)
