import math

import cupy as cp
from numba import cuda


@cuda.jit("void(float64[::1], float64[::1], float64[::1])")
def log_returns(price, previous, r):
    i = cuda.grid(1)
    if i < r.size:
        r[i] = math.log(price[i] / previous[i])


@cuda.jit("void(float64[::1], float64, float64[::1])")
def excess(r, riskfree, e):
    i = cuda.grid(1)
    if i < e.size:
        e[i] = r[i] - riskfree


@cuda.jit("void(float64[::1], float64[::1], float64[::1])")
def scale_by_volatility(e, vol, z):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = e[i] / vol[i]


n = 40_000_000
price = 100.0 + cp.random.rand(n)
previous = 100.0 + cp.random.rand(n)
vol = 0.1 + cp.random.rand(n)
r = cp.empty(n)
e = cp.empty(n)
z = cp.empty(n)
config = ((n + 255) // 256, 256)
log_returns[config](price, previous, r)
excess[config](r, 1e-4, e)  # fault: unfused_passes
scale_by_volatility[config](e, vol, z)  # fault: unfused_passes
print(float(z.mean()), float(z.std()))
