import math

import numpy as np
from numba import cuda

TPB = 128


@cuda.jit(device=True)
def coupling(a, b):
    return math.sin(b - a)


@cuda.jit
def kuramoto(phase, out, omega, k, dt):
    i = cuda.grid(1)
    n = phase.size
    if i < n:
        p = phase[i]
        left = phase[i - 1 if i > 0 else n - 1]
        right = phase[i + 1 if i < n - 1 else 0]
        out[i] = p + dt * (omega[i] + k * (coupling(p, left) + coupling(p, right)))


def launch(kernel, n, *args):
    """Launch a one-dimensional kernel over n elements."""
    kernel[(n + TPB - 1) // TPB, TPB](*args)
    cuda.current_context().synchronize()  # fault: needless_sync


def integrate(phase, omega, k, dt, steps):
    n = phase.size
    a = cuda.to_device(phase)
    b = cuda.device_array(n, dtype=np.float64)
    d_omega = cuda.to_device(omega)
    for _ in range(steps):
        launch(kuramoto, n, a, b, d_omega, k, dt)
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    phases = integrate(rng.uniform(0.0, 6.28, 500_000), rng.normal(size=500_000), 1.2, 0.01, 20_000)
    np.save("phases.npy", phases)
