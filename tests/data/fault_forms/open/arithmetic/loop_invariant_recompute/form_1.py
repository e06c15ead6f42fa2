import math

import numpy as np
from numba import cuda


@cuda.jit
def decay_curves(amplitude, rate, temperature, curves):
    """curves: (times, sites); Arrhenius rates, unit time step."""
    i = cuda.grid(1)
    if i < curves.shape[1]:
        level = amplitude[i]
        for t in range(curves.shape[0]):
            curves[t, i] = level
            level *= math.exp(-math.exp(-rate[i] / temperature[i]))  # fault: loop_invariant_recompute


def simulate(amplitude, rate, temperature, times):
    n = amplitude.size
    d_curves = cuda.device_array((times, n), dtype=np.float64)
    args = [cuda.to_device(a) for a in (amplitude, rate, temperature)]
    decay_curves[(n + 127) // 128, 128](*args, d_curves)
    return d_curves.copy_to_host()


if __name__ == "__main__":
    n = 200_000
    print(simulate(np.ones(n), np.random.rand(n) + 1, np.random.rand(n) + 0.5, 1000)[-1, :4])
