"""Pairwise Hamming distance between barcodes and a large read set."""
import numpy as np
from numba import cuda, uint8, uint64, void


@cuda.jit(void(uint64[::1], uint64[::1], uint8[:, ::1]))
def hamming(barcodes, reads, dist):
    b = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    r = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if r < reads.shape[0] and b < barcodes.shape[0]:
        dist[r, b] = cuda.popc(barcodes[b] ^ reads[r])


def distances(barcodes, reads):
    n_b, n_r = barcodes.size, reads.size
    tx, ty = 32, 4
    dist = cuda.device_array((n_r, n_b), dtype=np.uint8)
    blocks_x = (n_b + tx - 1) // tx
    blocks_y = (n_r + ty - 1) // ty
    hamming[(blocks_x, blocks_y), (tx, ty)](cuda.to_device(barcodes), cuda.to_device(reads), dist)  # fault: grid_axis_limit_exceeded
    return dist.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    barcodes = rng.integers(0, 2**62, 384, dtype=np.uint64)
    reads = rng.integers(0, 2**62, 1_200_000, dtype=np.uint64)
    print(distances(barcodes, reads).min(axis=1).mean())
