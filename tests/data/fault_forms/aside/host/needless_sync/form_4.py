"""Red-black relaxation; an event marks the end of each colour."""
import numpy as np
from numba import cuda, float64, void

TPB = 256


@cuda.jit(void(float64[:, ::1], float64[:, ::1], float64))
def relax(own, other, omega):
    x = cuda.grid(1)
    y = cuda.blockIdx.y + 1
    if 0 < x < own.shape[1] - 1 and y < own.shape[0] - 1:
        mean = 0.25 * (other[y, x] + other[y, x + 1] + other[y - 1, x] + other[y + 1, x])
        own[y, x] += omega * (mean - own[y, x])


def solve(red, black, omega, sweeps):
    h, w = red.shape
    d_red = cuda.to_device(red)
    d_black = cuda.to_device(black)
    grid = (w + TPB - 1) // TPB, h - 2
    done = cuda.event(timing=False)
    for _ in range(sweeps):
        for own, other in ((d_red, d_black), (d_black, d_red)):
            relax[grid, TPB](own, other, omega)
            done.record()
            done.synchronize()  # fault: needless_sync
    return d_red.copy_to_host(), d_black.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    red, black = solve(rng.random((1024, 512)), rng.random((1024, 512)), 0.8, 10_000)
    np.savez("relaxed.npz", red=red, black=black)
