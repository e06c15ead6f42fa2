"""Brightness of galaxies after extinction correction, an object per block."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def deredden(mag, ebv, ratio, out):
    obj = cuda.blockIdx.x
    out[obj] = mag[obj] - ratio * ebv[obj]


@cuda.jit
def to_flux(mag, scale, flux):
    i = cuda.grid(1)
    if i < mag.size:
        flux[i] = math.exp(mag[i] * scale)


def correct_catalogue(mag, ebv, ratio=3.1):
    n = mag.size
    d_mag = cuda.to_device(mag)
    d_ebv = cuda.to_device(ebv)
    d_corr = cuda.device_array(n, dtype=np.float32)
    d_flux = cuda.device_array(n, dtype=np.float32)
    deredden[n, 1](d_mag, d_ebv, np.float32(ratio), d_corr)
    to_flux[(n + 255) // 256, 256](d_corr, np.float32(-0.4 * math.log(10.0)), d_flux)
    return d_corr.copy_to_host(), d_flux.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    magnitudes = rng.normal(20.0, 1.5, 8_000_000).astype(np.float32)
    reddening = rng.exponential(0.05, 8_000_000).astype(np.float32)
    corrected, fluxes = correct_catalogue(magnitudes, reddening)
    print(corrected.mean(), np.median(fluxes))
