import math

import numpy as np
from numba import cuda

N_LAYERS = 64


@cuda.jit
def optical_depth(density, sigma, dz, tau, level):
    col = cuda.grid(1)
    if col < density.shape[1]:
        acc = 0.0
        for k in range(N_LAYERS):
            level[k] = (k + 1) * dz  # fault: redundant_global_stores
            acc += sigma * density[k, col] * dz
            tau[k, col] = acc


def columns(density, sigma, dz):
    """Optical depth below each layer top, with the heights of the tops."""
    assert density.shape[0] == N_LAYERS
    d_density = cuda.to_device(np.ascontiguousarray(density, dtype=np.float64))
    d_tau = cuda.device_array_like(d_density)
    d_level = cuda.device_array(N_LAYERS, dtype=np.float64)
    threads = 128
    blocks = math.ceil(density.shape[1] / threads)
    optical_depth[blocks, threads](d_density, sigma, dz, d_tau, d_level)
    return d_level.copy_to_host(), d_tau.copy_to_host()


if __name__ == "__main__":
    rho = np.load("aerosol_64_levels.npy")
    height, tau = columns(rho, 2.4e-3, 250.0)
    np.savez("optical_depth.npz", height=height, tau=tau)
