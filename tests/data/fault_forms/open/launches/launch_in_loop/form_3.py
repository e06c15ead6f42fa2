import numpy as np
from numba import cuda

# Polynomial trend of degree 23
x = np.linspace(-1.0, 1.0, 5_000_000)
coefficients = np.random.default_rng(2).normal(size=24)
d_x = cuda.to_device(x)
d_power = cuda.to_device(np.ones_like(x))
d_y = cuda.to_device(np.zeros_like(x))


@cuda.jit
def add_term(x, power, coefficient, y):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < y.size:
        p = power[i]
        y[i] += coefficient * p
        power[i] = p * x[i]


threads = 256
blocks = (x.size + threads - 1) // threads
for c in coefficients:
    add_term[blocks, threads](d_x, d_power, c, d_y)  # fault: launch_in_loop

np.save("trend.npy", d_y.copy_to_host())
