import math

import cupy as cp
from numba import cuda


@cuda.jit
def integrate(v, w, current, dt, n_steps):
    """FitzHugh-Nagumo units, each advanced n_steps with forward Euler."""
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, v.size, stride):
        for _ in range(n_steps):
            dv = v[i] - v[i] * v[i] * v[i] / 3.0 - w[i] + current[i]  # fault: redundant_global_loads
            dw = 0.08 * (v[i] + 0.7 - 0.8 * w[i])
            v[i] += dt * dv  # fault: redundant_global_loads
            w[i] += dt * dw  # fault: redundant_global_loads


def sweep(currents, t_end=200.0, dt=0.01):
    v = cp.full(currents.size, -1.0)
    w = cp.full(currents.size, -0.5)
    threads = 128
    blocks = math.ceil(currents.size / threads)
    integrate[blocks, threads](v, w, currents, dt, int(t_end / dt))
    return v, w


if __name__ == "__main__":
    drive = cp.linspace(0.0, 1.5, 400_000)
    v_end, w_end = sweep(drive)
    cp.savez("fhn.npz", drive=drive, v=v_end, w=w_end)
