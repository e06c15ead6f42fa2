import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

THREADS = 128
BLOCKS = 1056


@cuda.jit
def sample_disc(states, per_thread, inside):
    t = cuda.grid(1)
    if t < states.shape[0]:
        for _ in range(per_thread):
            u = xoroshiro128p_uniform_float32(states, t)
            v = xoroshiro128p_uniform_float32(states, t)
            if u * u + v * v <= np.float32(1.0):
                cuda.atomic.add(inside, 0, 1)  # fault: atomics_contention


states = create_xoroshiro128p_states(THREADS * BLOCKS, seed=20240)
inside = cuda.to_device(np.zeros(1, dtype=np.int64))
per_thread = 20_000
sample_disc[BLOCKS, THREADS](states, per_thread, inside)
hits = int(inside.copy_to_host()[0])
print("pi ~", 4.0 * hits / (per_thread * THREADS * BLOCKS))
