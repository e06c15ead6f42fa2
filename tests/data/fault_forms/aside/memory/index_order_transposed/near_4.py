# near: index_order_transposed
"""Standardise the columns of a matrix; the block is one thread wide in the sample axis."""
import numpy as np
from numba import cuda

BLOCK = (1, 256)


@cuda.jit
def standardize(calls, center, scale, z):
    sample, snp = cuda.grid(2)
    if sample < z.shape[0] and snp < z.shape[1]:
        z[sample, snp] = (np.float32(calls[sample, snp]) - center[snp]) * scale[snp]


def standardized(calls):
    freq = np.clip(calls.mean(axis=0) / 2.0, 1e-3, 1 - 1e-3)
    center = cuda.to_device((2.0 * freq).astype(np.float32))
    scale = cuda.to_device((1.0 / np.sqrt(2.0 * freq * (1.0 - freq))).astype(np.float32))
    d_calls = cuda.to_device(calls)
    z = cuda.device_array(calls.shape, dtype=np.float32)
    n_samples, n_snps = calls.shape
    grid = (n_samples, (n_snps + BLOCK[1] - 1) // BLOCK[1])
    standardize[grid, BLOCK](d_calls, center, scale, z)
    return z


if __name__ == "__main__":
    rng = np.random.default_rng(12)
    dosage = rng.binomial(2, 0.3, (20000, 40000)).astype(np.int8)
    print(standardized(dosage)[:3].copy_to_host().mean(axis=1))
