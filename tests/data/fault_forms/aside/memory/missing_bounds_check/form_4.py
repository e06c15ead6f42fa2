import math

import numpy as np
from numba import cuda, int32

NBINS = 256


@cuda.jit
def radial_histogram(x, y, z, r_max, hist):
    local = cuda.shared.array(NBINS, int32)
    for b in range(cuda.threadIdx.x, NBINS, cuda.blockDim.x):
        local[b] = 0
    cuda.syncthreads()
    scale = NBINS / r_max
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.size, stride):
        r = math.sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i])
        cuda.atomic.add(local, int(r * scale), 1)  # fault: missing_bounds_check
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, NBINS, cuda.blockDim.x):
        cuda.atomic.add(hist, b, local[b])


def density_profile(pos, r_max):
    x, y, z = (cuda.to_device(np.ascontiguousarray(pos[:, k], dtype=np.float64)) for k in range(3))
    hist = cuda.to_device(np.zeros(NBINS, dtype=np.int32))
    radial_histogram[528, 256](x, y, z, r_max, hist)
    edges = np.linspace(0.0, r_max, NBINS + 1)
    volume = 4.0 / 3.0 * np.pi * np.diff(edges ** 3)
    return edges, hist.copy_to_host() / volume


if __name__ == "__main__":
    halo = np.load("halo_positions.npy")
    edges, rho = density_profile(halo - halo.mean(axis=0), r_max=1.5)
    np.savetxt("profile.txt", np.column_stack((edges[1:], rho)))
