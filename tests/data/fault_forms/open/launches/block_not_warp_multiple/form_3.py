"""Gravity on test bodies, with the sources staged through shared memory."""
import math

import numpy as np
from numba import cuda, float64

TILE = 200


@cuda.jit
def accelerate(bodies, mass, ax, ay):
    sx = cuda.shared.array(TILE, float64)
    sy = cuda.shared.array(TILE, float64)
    sm = cuda.shared.array(TILE, float64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    n = mass.shape[0]
    x = 0.0
    y = 0.0
    if i < n:
        x = bodies[0, i]
        y = bodies[1, i]
    fx = 0.0
    fy = 0.0
    for first in range(0, n, TILE):
        if first + t < n:
            sx[t] = bodies[0, first + t]
            sy[t] = bodies[1, first + t]
            sm[t] = mass[first + t]
        cuda.syncthreads()
        for k in range(min(TILE, n - first)):
            dx = sx[k] - x
            dy = sy[k] - y
            r2 = dx * dx + dy * dy + 1e-4
            w = sm[k] / (r2 * math.sqrt(r2))
            fx += w * dx
            fy += w * dy
        cuda.syncthreads()
    if i < n:
        ax[i] = fx
        ay[i] = fy


def forces(bodies, mass):
    n = mass.shape[0]
    ax = cuda.device_array(n, dtype=np.float64)
    ay = cuda.device_array(n, dtype=np.float64)
    accelerate[(n + TILE - 1) // TILE, TILE](cuda.to_device(bodies), cuda.to_device(mass), ax, ay)  # fault: block_not_warp_multiple
    return ax.copy_to_host(), ay.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    fx, fy = forces(rng.normal(size=(2, 200_000)), rng.random(200_000))
    print(fx.std(), fy.std())
