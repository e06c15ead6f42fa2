"""Complementary strands of a set of short reads of equal length."""
import numpy as np
from numba import cuda, uint8, void


@cuda.jit(void(uint8[::1], uint8[::1]))
def reverse_complement(read, out):
    i = cuda.grid(1)
    if i < read.shape[0]:
        out[read.shape[0] - 1 - i] = 3 - read[i]


def complement_all(reads):
    d_reads = cuda.to_device(reads)
    d_out = cuda.device_array_like(d_reads)
    blocks = (reads.shape[1] + 127) // 128
    for r in range(reads.shape[0]):
        reverse_complement[blocks, 128](d_reads[r], d_out[r])  # fault: launch_in_loop
    return d_out.copy_to_host()


if __name__ == "__main__":
    reads = np.random.default_rng(3).integers(0, 4, (80_000, 256), dtype=np.uint8)
    np.save("reverse.npy", complement_all(reads))
