"""Private histograms per block, then a merge."""
import numpy as np
from numba import cuda, int32

BINS = 256
COPIES = 480


@cuda.jit
def block_histograms(pixels, histograms):
    local = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    local[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), pixels.size, cuda.gridsize(1)):
        cuda.atomic.add(local, pixels[i], 1)
    cuda.syncthreads()
    histograms[cuda.blockIdx.x, t] = local[t]


@cuda.jit
def merge_histograms(histograms, merged):
    bin_ = cuda.grid(1)
    if bin_ < merged.size:
        count = 0
        for copy in range(cuda.gridDim.x):  # fault: wrong_loop_bound
            count += histograms[copy, bin_]
        merged[bin_] = count


def histogram(image):
    d_pixels = cuda.to_device(image.ravel())
    d_parts = cuda.device_array((COPIES, BINS), dtype=np.int32)
    d_merged = cuda.device_array(BINS, dtype=np.int64)
    block_histograms[COPIES, BINS](d_pixels, d_parts)
    merge_histograms[BINS // 32, 32](d_parts, d_merged)
    return d_merged.copy_to_host()


if __name__ == "__main__":
    print(histogram(np.random.randint(0, 256, (8000, 8000)).astype(np.uint8))[:6])
