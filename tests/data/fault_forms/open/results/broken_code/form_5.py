"""k-mer counts per read."""
import numpy as np
from numba import cuda

K = 4


@cuda.jit
def distinct_kmers(reads, lengths, distinct):
    r = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if r >= lengths.size:
        return
    seen = {}  # fault: broken_code
    for start in range(lengths[r] - K + 1):
        code = 0
        for k in range(K):
            code = code * 4 + reads[start + k, r]
        seen[code] = seen.get(code, 0) + 1
    distinct[r] = len(seen)


def complexity(reads, lengths):
    """reads: (max_length, n_reads) uint8 codes 0..3."""
    d_reads = cuda.to_device(reads)
    d_lengths = cuda.to_device(lengths)
    d_distinct = cuda.device_array(lengths.size, dtype=np.int32)
    distinct_kmers[(lengths.size + 127) // 128, 128](d_reads, d_lengths, d_distinct)
    return d_distinct.copy_to_host()


if __name__ == "__main__":
    n_reads = 500_000
    reads = np.random.randint(0, 4, size=(150, n_reads)).astype(np.uint8)
    print(complexity(reads, np.full(n_reads, 150, dtype=np.int32)).mean())
