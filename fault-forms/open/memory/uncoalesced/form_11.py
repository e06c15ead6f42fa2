"""GC content and N count of fixed-length reads held in one flat byte buffer."""
import argparse

import numpy as np
from numba import cuda

G, C, N = ord("G"), ord("C"), ord("N")


@cuda.jit(device=True, inline=True)
def is_gc(base):
    return base == G or base == C


@cuda.jit
def read_composition(buffer, read_len, n_reads, gc, unknown):
    stride = cuda.gridsize(1)
    for read in range(cuda.grid(1), n_reads, stride):
        offset = read * read_len
        n_gc = 0
        n_unknown = 0
        for k in range(read_len):
            base = buffer[offset + k]
            if is_gc(base):
                n_gc += 1
            elif base == N:
                n_unknown += 1
        gc[read] = n_gc
        unknown[read] = n_unknown


def composition(reads):
    n_reads, read_len = reads.shape
    buf = cuda.to_device(reads.ravel())
    gc = cuda.device_array(n_reads, np.int32)
    unknown = cuda.device_array(n_reads, np.int32)
    sms = cuda.get_current_device().MULTIPROCESSOR_COUNT
    read_composition[sms * 16, 128](buf, read_len, n_reads, gc, unknown)
    return gc.copy_to_host(), unknown.copy_to_host()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("reads", help=".npy file, uint8, reads x length")
    args = ap.parse_args()
    gc_counts, n_counts = composition(np.load(args.reads))
    print(gc_counts.mean(), (n_counts > 0).sum())
