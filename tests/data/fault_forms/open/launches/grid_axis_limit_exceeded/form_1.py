"""Scale each spectrum of a survey by its exposure; a grid row for each spectrum."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def scale_spectra(flux, exposure):
    k = cuda.grid(1)
    s = cuda.blockIdx.y
    if k < flux.shape[1]:
        flux[s, k] /= exposure[s]


def main():
    spectra, bins = 250_000, 4000
    rng = np.random.default_rng(0)
    flux = cuda.to_device(rng.random((spectra, bins), dtype=np.float32))
    exposure = cuda.to_device(rng.uniform(0.5, 2.0, spectra).astype(np.float32))
    grid = ((bins + TPB - 1) // TPB, spectra)
    scale_spectra[grid, TPB](flux, exposure)  # fault: grid_axis_limit_exceeded
    np.save("flux.npy", flux.copy_to_host())


if __name__ == "__main__":
    main()
