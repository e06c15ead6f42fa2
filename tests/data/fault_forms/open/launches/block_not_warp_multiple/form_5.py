"""Codon counts of aligned coding sequences: block axis for the 61 sense codons."""
import numpy as np
from numba import cuda

SENSE = 61
PER_BLOCK = 2


@cuda.jit
def codon_usage(codons, usage):
    c = cuda.threadIdx.x
    gene = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if gene < codons.shape[0] and c < usage.shape[1]:
        hits = 0
        for k in range(codons.shape[1]):
            if codons[gene, k] == c:
                hits += 1
        usage[gene, c] = hits


def count(codons):
    genes = codons.shape[0]
    usage = cuda.device_array((genes, SENSE), dtype=np.int32)
    grid = (genes + PER_BLOCK - 1) // PER_BLOCK
    codon_usage[grid, (SENSE, PER_BLOCK)](cuda.to_device(codons), usage)  # fault: block_not_warp_multiple
    return usage.copy_to_host()


if __name__ == "__main__":
    genes = np.random.default_rng(7).integers(0, SENSE, (100_000, 400)).astype(np.uint8)
    print(count(genes).sum(axis=0))
