import math

import numpy as np
from numba import cuda, float64

LAG = 32


@cuda.jit
def delayed_feedback(x0, gain, out, n_steps, dt):
    """Mackey-Glass units with a ring buffer of the last LAG states."""
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= x0.size:
        return
    ring = cuda.local.array(LAG, float64)
    x = x0[i]
    for k in range(LAG):
        ring[k] = x
    b = gain[i]
    pos = 0
    for _ in range(n_steps):
        delayed = ring[pos]  # fault: local_array_dynamic_index
        d2 = delayed * delayed
        d4 = d2 * d2
        ring[pos] = x  # fault: local_array_dynamic_index
        x += dt * (b * delayed / (1.0 + d4 * d4 * d2) - 0.1 * x)
        pos = (pos + 1) & (LAG - 1)
    out[i] = x


gains = np.linspace(0.1, 0.4, 500_000)
start = np.full(gains.size, 1.2)
d_gain = cuda.to_device(gains)
d_start = cuda.to_device(start)
d_out = cuda.device_array_like(d_start)
threads = 128
delayed_feedback[math.ceil(gains.size / threads), threads](d_start, d_gain, d_out, 20_000, 0.5)
np.savez("mackey_glass.npz", gain=gains, state=d_out.copy_to_host())
