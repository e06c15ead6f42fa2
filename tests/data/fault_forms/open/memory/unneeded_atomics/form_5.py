import numpy as np
from numba import cuda, int32, uint8, void


@cuda.jit(void(uint8[:, ::1], int32[:, ::1]))
def codon_usage(genes, usage):
    """genes[codon position, gene]; usage[codon, gene]."""
    g = cuda.grid(1)
    if g < genes.shape[1]:
        for pos in range(genes.shape[0]):
            codon = genes[pos, g]
            if codon < usage.shape[0]:
                cuda.atomic.add(usage, (codon, g), 1)  # fault: unneeded_atomics


def usage_table(genes):
    d_genes = cuda.to_device(np.ascontiguousarray(genes.T, dtype=np.uint8))
    d_usage = cuda.to_device(np.zeros((64, genes.shape[0]), dtype=np.int32))
    threads = 128
    codon_usage[(genes.shape[0] + threads - 1) // threads, threads](d_genes, d_usage)
    return d_usage.copy_to_host().T


genes = np.load("orfs_codon_padded.npy")
table = usage_table(genes)
np.save("codon_usage.npy", table / table.sum(axis=1, keepdims=True))
