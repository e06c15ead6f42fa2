import math

import numpy as np
from numba import cuda


@cuda.jit
def relax(u, f, h2):
    i, j = cuda.grid(2)
    ny, nx = u.shape
    if 0 < i < nx - 1 and 0 < j < ny - 1:
        u[j, i] = 0.25 * (u[j, i - 1] + u[j, i + 1] + u[j - 1, i] + u[j + 1, i] - h2 * f[j, i])  # fault: data_race


def solve_poisson(f, boundary, h, sweeps):
    d_u = cuda.to_device(np.ascontiguousarray(boundary, dtype=np.float64))
    d_f = cuda.to_device(np.ascontiguousarray(f, dtype=np.float64))
    ny, nx = f.shape
    tpb = (32, 8)
    bpg = (math.ceil(nx / tpb[0]), math.ceil(ny / tpb[1]))
    for _ in range(sweeps):
        relax[bpg, tpb](d_u, d_f, h * h)
    return d_u.copy_to_host()


if __name__ == "__main__":
    rho = np.load("charge_density_2048.npy")
    guess = np.zeros_like(rho)
    guess[0, :] = 1.0
    phi = solve_poisson(-rho, guess, 1.0 / 2047, 5000)
    np.save("phi.npy", phi)
