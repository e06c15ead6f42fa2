import cupy as cp
from numba import cuda
import numpy as np

# Nonlinear diffusion of a temperature log with a fixed conductivity table
conductivity = np.random.default_rng(2).uniform(0.1, 0.2, 12_000_000)
temperature = cp.random.random(conductivity.size)
updated = temperature.copy()


@cuda.jit
def diffuse(t, k, out):
    i = cuda.grid(1)
    if 0 < i < t.size - 1:
        out[i] = t[i] + k[i] * (t[i + 1] - t[i]) - k[i - 1] * (t[i] - t[i - 1])


threads = 256
blocks = (conductivity.size + threads - 1) // threads
for step in range(800):
    k = cp.asarray(conductivity)  # fault: copy_in_loop
    diffuse[blocks, threads](temperature, k, updated)
    temperature, updated = updated, temperature

cp.save("temperature.npy", temperature)
