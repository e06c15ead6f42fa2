"""Time stepping of Burgers' equation."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def burgers(u, out, c, nu):
    i = cuda.grid(1)
    n = u.size
    if i < n:
        left = u[i - 1 if i > 0 else n - 1]
        right = u[i + 1 if i < n - 1 else 0]
        out[i] = u[i] - c * u[i] * (right - left) + nu * (right - u[i] - u[i] + left)


def evolve(u0, c, nu, steps):
    u = cuda.to_device(u0)
    blocks = (u.size + THREADS - 1) // THREADS
    for _ in range(steps):
        out = cuda.device_array(u.size, dtype=np.float64)  # fault: allocation_in_loop
        burgers[blocks, THREADS](u, out, c, nu)
        u = out
    return u.copy_to_host()


if __name__ == "__main__":
    x = np.linspace(0.0, 2.0 * np.pi, 3_000_000, endpoint=False)
    np.save("burgers.npy", evolve(np.sin(x), 1e-3, 1e-2, 5000))
