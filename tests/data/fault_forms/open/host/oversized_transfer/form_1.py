"""Final position of a probe particle in a large ensemble."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def kick_drift(pos, vel, k, dt):
    i = cuda.grid(1)
    if 0 < i < pos.size - 1:
        vel[i] -= dt * k * pos[i]
        pos[i] += dt * vel[i]


def main():
    n = 20_000_000
    rng = np.random.default_rng(0)
    d_pos = cuda.to_device(rng.normal(size=n))
    d_vel = cuda.to_device(rng.normal(size=n))
    blocks = (n + THREADS - 1) // THREADS
    kick_drift[blocks, THREADS](d_pos, d_vel, 1.3, 1e-2)
    pos = d_pos.copy_to_host()  # fault: oversized_transfer
    print("probe at", pos[n // 2])


if __name__ == "__main__":
    main()
