"""Histograms of k-mer composition: four bases against one block each."""
import numpy as np
from numba import cuda, int32

TPB = 1024


@cuda.jit
def base_profile(reads, profile):
    """Counts of A, C, G, T in each read of 36 bases."""
    count = cuda.shared.array(4, int32)
    t = cuda.threadIdx.x
    read = cuda.blockIdx.x
    if t < 4:
        count[t] = 0
    cuda.syncthreads()
    if t < reads.shape[1]:
        cuda.atomic.add(count, reads[read, t], 1)
    cuda.syncthreads()
    if t < 4:
        profile[read, t] = count[t]


def profiles(reads):
    out = cuda.device_array((reads.shape[0], 4), dtype=np.int32)
    base_profile[reads.shape[0], TPB](cuda.to_device(reads), out)  # fault: idle_threads
    return out.copy_to_host()


if __name__ == "__main__":
    reads = np.random.default_rng(3).integers(0, 4, (3_000_000, 36)).astype(np.uint8)
    print(profiles(reads).mean(axis=0))
