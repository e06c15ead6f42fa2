import math

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def radial(x, y, r):
    i = cuda.grid(1)
    if i < r.size:
        r[i] = math.sqrt(x[i] * x[i] + y[i] * y[i])


def apply_profile(r, out, profile):
    """out[i] = profile(r[i]) for a device-compatible function of one number."""
    profile_device = cuda.jit(profile, device=True)

    @cuda.jit  # fault: jit_in_function
    def evaluate(r, out):
        i = cuda.grid(1)
        if i < r.size:
            out[i] = profile_device(r[i])

    evaluate[(r.size + THREADS - 1) // THREADS, THREADS](r, out)


def sersic(r):
    return math.exp(-7.67 * (r ** 0.25 - 1.0))


if __name__ == "__main__":
    n = 3_000_000
    rng = np.random.default_rng(4)
    d_y = cuda.to_device(rng.normal(size=n))
    d_r = cuda.device_array(n, dtype=np.float64)
    d_out = cuda.device_array(n, dtype=np.float64)
    image = np.empty((100, n))
    for row in image:
        d_x = cuda.to_device(rng.normal(size=n))
        radial[(n + THREADS - 1) // THREADS, THREADS](d_x, d_y, d_r)
        apply_profile(d_r, d_out, sersic)
        d_out.copy_to_host(row)
    np.save("profiles.npy", image)
