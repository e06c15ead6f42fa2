import cupy as cp
from numba import cuda

BLOCKS = 4096
THREADS = 256

# Euler step for a population of leaky neurons
n_neurons = 2_500_000
v = cp.full(n_neurons, -65.0)
current = cp.random.random(n_neurons) * 20.0
spikes = cp.zeros(n_neurons, dtype=cp.int32)


@cuda.jit
def integrate(v, current, spikes, dt):
    i = cuda.grid(1)
    if i < v.shape[0]:
        x = v[i] + dt * (-65.0 - v[i] + current[i]) * 0.1
        if x > -50.0:
            x = -65.0
            spikes[i] += 1
        v[i] = x


for _ in range(2000):
    integrate[BLOCKS, THREADS](v, current, spikes, 0.25)  # fault: grid_does_not_cover

rates = spikes / (2000 * 0.25e-3)
print("mean rate", float(rates.mean()), "max", float(rates.max()))
