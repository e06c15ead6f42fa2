"""Leapfrog for charged particles in a uniform magnetic field."""
import cupy as cp
import numpy as np
from numba import cuda

DT = 0.0013
OMEGA = 1.7
DAMPING = 0.02


@cuda.jit
def push(px, py, vx, vy):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, px.shape[0], step):
        ax = OMEGA * vy[i] - DAMPING * vx[i]  # fault: fp64_promotion
        ay = -OMEGA * vx[i] - DAMPING * vy[i]  # fault: fp64_promotion
        vx[i] += DT * ax
        vy[i] += DT * ay
        px[i] += DT * vx[i]
        py[i] += DT * vy[i]


def simulate(n_particles, n_steps):
    px = cp.random.rand(n_particles, dtype=np.float32)
    py = cp.random.rand(n_particles, dtype=np.float32)
    vx = cp.zeros(n_particles, dtype=np.float32)
    vy = cp.ones(n_particles, dtype=np.float32)
    threads = 256
    blocks = min(1024, (n_particles + threads - 1) // threads)
    for _ in range(n_steps):
        push[blocks, threads](px, py, vx, vy)
    cuda.synchronize()
    return px, py


if __name__ == "__main__":
    xs, ys = simulate(8_000_000, 500)
    print(float(xs.mean()), float(ys.mean()))
