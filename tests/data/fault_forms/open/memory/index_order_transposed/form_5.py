# Minor allele frequency per variant from a samples x variants dosage matrix
import numpy as np
from numba import cuda, int32

THREADS = 128


@cuda.jit
def allele_counts(dosage, counts):
    part = cuda.shared.array(THREADS, int32)
    variant = cuda.blockIdx.x
    lane = cuda.threadIdx.x
    total = int32(0)
    for sample in range(lane, dosage.shape[0], cuda.blockDim.x):
        total += dosage[sample, variant]  # fault: index_order_transposed
    part[lane] = total
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if lane < half:
            part[lane] += part[lane + half]
        cuda.syncthreads()
        half //= 2
    if lane == 0:
        counts[variant] = part[0]


def minor_allele_frequency(dosage):
    n_samples, n_variants = dosage.shape
    d_dosage = cuda.to_device(np.ascontiguousarray(dosage, dtype=np.int8))
    d_counts = cuda.device_array(n_variants, dtype=np.int32)
    allele_counts[n_variants, THREADS](d_dosage, d_counts)
    freq = d_counts.copy_to_host() / (2.0 * n_samples)
    return np.minimum(freq, 1.0 - freq)


if __name__ == "__main__":
    geno = np.load("cohort_dosage.npy", mmap_mode="r")
    maf = minor_allele_frequency(geno)
    np.savetxt("maf.txt", maf, fmt="%.6f")
