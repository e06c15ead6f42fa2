"""Transmission spectra of layered atmospheres, one column per thread."""
import math

import cupy as cp
from numba import cuda


@cuda.jit
def transmission(density, thickness, cross_section, spectrum):
    """density, thickness: (layers, columns); spectrum: (wavelengths, columns)."""
    col = cuda.grid(1)
    if col < spectrum.shape[1]:
        for w in range(spectrum.shape[0]):
            column_density = 0.0
            for layer in range(density.shape[0]):  # fault: loop_invariant_recompute
                column_density += density[layer, col] * thickness[layer, col]
            spectrum[w, col] = math.exp(-cross_section[w] * column_density)


def spectra(density, thickness, cross_section):
    columns = density.shape[1]
    spectrum = cp.empty((cross_section.size, columns))
    transmission[(columns + 127) // 128, 128](density, thickness, cross_section, spectrum)
    return spectrum


if __name__ == "__main__":
    rho = cp.random.rand(60, 100_000)
    dz = cp.random.rand(60, 100_000)
    print(float(spectra(rho, dz, cp.random.rand(400)).mean()))
