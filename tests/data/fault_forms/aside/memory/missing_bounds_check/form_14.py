"""K-mer code of every position of a sequence (2 bits per base)."""
import numpy as np
from numba import cuda, uint32, void, uint8

K = 12


@cuda.jit(device=True)
def encode(base):
    return (base >> 1) & 3


@cuda.jit(void(uint8[::1], uint32[::1]))
def kmer_codes(seq, codes):
    pos = cuda.grid(1)
    if pos >= seq.shape[0]:
        return
    code = uint32(0)
    for k in range(K):
        code = uint32((code << 2) | encode(seq[pos + k]))  # fault: missing_bounds_check
    codes[pos] = code


@cuda.jit
def count_codes(codes, table):
    for i in range(cuda.grid(1), codes.shape[0], cuda.gridsize(1)):
        cuda.atomic.add(table, codes[i], 1)


def kmer_table(sequence):
    seq = cuda.to_device(np.frombuffer(sequence, dtype=np.uint8))
    codes = cuda.device_array(seq.size, dtype=np.uint32)
    kmer_codes[(seq.size + 255) // 256, 256](seq, codes)
    table = cuda.to_device(np.zeros(4**K, dtype=np.int32))
    count_codes[1024, 256](codes[: seq.size - K + 1], table)
    return table.copy_to_host()


if __name__ == "__main__":
    genome = np.random.default_rng(3).choice(np.frombuffer(b"ACGT", np.uint8), 50_000_000)
    print(kmer_table(genome.tobytes()).max())
