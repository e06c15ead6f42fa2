"""Histogram of photon energies with fixed bin width."""
import numpy as np
from numba import cuda

E_MIN, E_MAX, N_BINS = 0.5, 10.5, 65536


@cuda.jit
def energy_histogram(energies, e_min, inv_width, counts):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < energies.shape[0]:
        b = int((energies[i] - e_min) * inv_width)
        cuda.atomic.add(counts, b, 1)  # fault: missing_bounds_check
        i += step


class Spectrum:
    def __init__(self, n_bins=N_BINS, lo=E_MIN, hi=E_MAX):
        self.edges = np.linspace(lo, hi, n_bins + 1)
        self.lo = np.float32(lo)
        self.inv_width = np.float32(n_bins / (hi - lo))
        self.counts = cuda.to_device(np.zeros(n_bins, dtype=np.int32))

    def fill(self, energies):
        d_energies = cuda.to_device(energies)
        energy_histogram[2048, 256](d_energies, self.lo, self.inv_width, self.counts)

    def result(self):
        return self.counts.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(21)
    spec = Spectrum()
    spec.fill(rng.gamma(3.0, 1.5, 40_000_000).astype(np.float32))
    print(spec.result()[:16])
