# near: wasted_computation
import math

import numpy as np
from numba import cuda


@cuda.jit
def polar(re, im, magnitude, phase):
    i = cuda.grid(1)
    if i < re.size:
        magnitude[i] = math.sqrt(re[i] * re[i] + im[i] * im[i])
        phase[i] = math.atan2(im[i], re[i])


def to_polar(z):
    n = z.size
    d_mag = cuda.device_array(n, dtype=np.float64)
    d_phase = cuda.device_array(n, dtype=np.float64)
    polar[(n + 255) // 256, 256](cuda.to_device(z.real.copy()), cuda.to_device(z.imag.copy()), d_mag, d_phase)
    return d_mag.copy_to_host(), d_phase.copy_to_host()


if __name__ == "__main__":
    m, p = to_polar(np.random.rand(8_000_000) + 1j * np.random.rand(8_000_000))
    print(m.mean(), p.mean())
