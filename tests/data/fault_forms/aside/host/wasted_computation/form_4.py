"""Wave packet in a box."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def advance(re, im, re_new, im_new, dt):
    i = cuda.grid(1)
    if 0 < i < re.size - 1:
        re_new[i] = re[i] - 0.5 * dt * (im[i - 1] - 2.0 * im[i] + im[i + 1])
        im_new[i] = im[i] + 0.5 * dt * (re[i - 1] - 2.0 * re[i] + re[i + 1])


@cuda.jit
def observables(re, im, density, phase):
    i = cuda.grid(1)
    if i < re.size:
        density[i] = re[i] * re[i] + im[i] * im[i]
        phase[i] = math.atan2(im[i], re[i])


def evolve(psi, steps, dt=1e-3):
    n = psi.size
    re, re2 = cuda.to_device(psi.real.copy()), cuda.to_device(psi.real.copy())
    im, im2 = cuda.to_device(psi.imag.copy()), cuda.to_device(psi.imag.copy())
    density = cuda.device_array(n)
    phase = cuda.device_array(n)
    config = ((n + 255) // 256, 256)
    for _ in range(steps):
        advance[config](re, im, re2, im2, dt)
        re, re2, im, im2 = re2, re, im2, im
        observables[config](re, im, density, phase)  # fault: wasted_computation
    return density.copy_to_host(), phase.copy_to_host()


if __name__ == "__main__":
    x = np.linspace(-200, 200, 2_000_000)
    print(evolve(np.exp(-x * x / 50 + 2j * x), 500)[0].max())
