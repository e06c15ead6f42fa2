"""Genotype matrix standardisation (samples x SNPs, C order)."""
import numpy as np
from numba import cuda


def _ceil(a, b):
    return (a + b - 1) // b


class GenotypeMatrix:
    def __init__(self, calls):
        self.n_samples, self.n_snps = calls.shape
        self.calls = cuda.to_device(calls)
        freq = calls.mean(axis=0) / 2.0
        freq = np.clip(freq, 1e-3, 1 - 1e-3)
        self.center = cuda.to_device((2.0 * freq).astype(np.float32))
        self.scale = cuda.to_device((1.0 / np.sqrt(2.0 * freq * (1.0 - freq))).astype(np.float32))

    def standardized(self):
        z = cuda.device_array((self.n_samples, self.n_snps), dtype=np.float32)
        cfg = (_ceil(self.n_samples, 64), _ceil(self.n_snps, 4)), (64, 4)
        standardize[cfg](self.calls, self.center, self.scale, z)
        return z


@cuda.jit
def standardize(calls, center, scale, z):
    sample = cuda.grid(2)[0]
    snp = cuda.grid(2)[1]
    if sample >= z.shape[0] or snp >= z.shape[1]:
        return
    z[sample, snp] = (np.float32(calls[sample, snp]) - center[snp]) * scale[snp]


if __name__ == "__main__":
    rng = np.random.default_rng(12)
    dosage = rng.binomial(2, 0.3, (20000, 50000)).astype(np.int8)
    z = GenotypeMatrix(dosage).standardized()
    print(z[:3].copy_to_host().mean(axis=1))
