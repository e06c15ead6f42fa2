"""Complement of DNA bases; the number of blocks is fixed and the threads follow from it."""
import numpy as np
from numba import cuda

MAX_BLOCKS = 65535


@cuda.jit
def complement(seq, table, out):
    i = cuda.grid(1)
    if i < seq.shape[0]:
        out[i] = table[seq[i]]


def build_table():
    table = np.arange(256, dtype=np.uint8)
    for a, b in ("AT", "TA", "CG", "GC"):
        table[ord(a)] = ord(b)
    return table


def complement_strand(seq):
    n = seq.size
    n_blocks = MAX_BLOCKS
    n_threads = -(-n // n_blocks)
    d_seq = cuda.to_device(seq)
    d_table = cuda.to_device(build_table())
    d_out = cuda.device_array(n, dtype=np.uint8)
    complement[n_blocks, n_threads](d_seq, d_table, d_out)  # fault: block_too_small
    return d_out.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    chromosome = rng.choice(np.frombuffer(b"ACGT", dtype=np.uint8), 1_048_000)
    print(complement_strand(chromosome)[:20].tobytes())
