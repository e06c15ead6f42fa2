import cupy as cp
import numpy as np
from numba import cuda

# Shots of a seismic survey against one velocity model
model = np.random.default_rng(2).uniform(1500.0, 4500.0, 12_000_000)
offsets = np.linspace(0.0, 3000.0, 64)
stack = cp.zeros(model.size)


@cuda.jit
def accumulate_travel_time(velocity, depth_step, offset, stack):
    i = cuda.grid(1)
    if i < stack.size:
        z = i * depth_step
        stack[i] += (z * z + offset * offset) / (velocity[i] * velocity[i])


threads = 256
blocks = (model.size + threads - 1) // threads
for offset in offsets:
    velocity = cp.asarray(model)  # fault: copy_in_loop
    accumulate_travel_time[blocks, threads](velocity, 1e-4, offset, stack)

np.save("stack.npy", cp.asnumpy(stack))
