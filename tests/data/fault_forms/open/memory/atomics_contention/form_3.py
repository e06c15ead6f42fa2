import numpy as np
from numba import cuda


@cuda.jit
def base_composition(genome, counts):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, genome.size, step):
        cuda.atomic.add(counts, genome[i], 1)  # fault: atomics_contention


def gc_content(genome):
    """genome: codes 0..4 for A, C, G, T, N."""
    d_genome = cuda.to_device(np.ascontiguousarray(genome, dtype=np.uint8))
    d_counts = cuda.to_device(np.zeros(5, dtype=np.int64))
    base_composition[1056, 256](d_genome, d_counts)
    a, c, g, t, _ = d_counts.copy_to_host()
    return (g + c) / (a + c + g + t)


if __name__ == "__main__":
    print("GC: %.4f" % gc_content(np.load("chr1_codes.npy")))
