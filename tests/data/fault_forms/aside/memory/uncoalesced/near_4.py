# near: uncoalesced
"""Particle drift with one array per component."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def drift(pos, vel, dt, box):
    """pos and vel have shape (3, n)."""
    i = cuda.grid(1)
    if i < pos.shape[1]:
        for axis in range(3):
            p = pos[axis, i] + vel[axis, i] * dt
            if p >= box:
                p -= box
            elif p < np.float32(0.0):
                p += box
            pos[axis, i] = p


def main(n=8_000_000, box=10.0):
    rng = np.random.default_rng(2)
    d_pos = cuda.to_device(rng.uniform(0, box, (3, n)).astype(np.float32))
    d_vel = cuda.to_device(rng.normal(0, 1, (3, n)).astype(np.float32))
    drift[(n + TPB - 1) // TPB, TPB](d_pos, d_vel, np.float32(0.01), np.float32(box))
    print(d_pos.copy_to_host().mean(axis=1))


if __name__ == "__main__":
    main()
