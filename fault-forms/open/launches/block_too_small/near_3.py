
"""Gradient magnitude; the block is thin in two axes but has 256 threads in all."""
import math

import numpy as np
from numba import cuda

TPB3 = 64, 2, 2


@cuda.jit
def gradient_magnitude(rho, inv_2h, out):
    x, y, z = cuda.grid(3)
    nz, ny, nx = rho.shape
    if x >= nx or y >= ny or z >= nz:
        return
    gx = (rho[z, y, min(x + 1, nx - 1)] - rho[z, y, max(x - 1, 0)]) * inv_2h
    gy = (rho[z, min(y + 1, ny - 1), x] - rho[z, max(y - 1, 0), x]) * inv_2h
    gz = (rho[min(z + 1, nz - 1), y, x] - rho[max(z - 1, 0), y, x]) * inv_2h
    out[z, y, x] = math.sqrt(gx * gx + gy * gy + gz * gz)


def gradient(rho, h):
    d_rho = cuda.to_device(rho)
    d_out = cuda.device_array(rho.shape, dtype=np.float32)
    bpg = tuple(math.ceil(n / t) for n, t in zip(rho.shape[::-1], TPB3))
    gradient_magnitude[bpg, TPB3](d_rho, np.float32(0.5 / h), d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    axis = np.linspace(-1, 1, 448, dtype=np.float32)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    print(gradient(np.exp(-(x * x + y * y + z * z)), axis[1] - axis[0]).max())
