# near: syncthreads_divergent
"""Smoothing of a long track: the loop runs over whole tiles, so all threads of a block take it alike."""
import numpy as np
from numba import cuda, float32

TPB = 256
BLOCKS = 1056


@cuda.jit
def smooth3(track, out):
    tile = cuda.shared.array(TPB + 2, float32)
    t = cuda.threadIdx.x
    n = track.shape[0]
    for first in range(cuda.blockIdx.x * TPB, n, cuda.gridDim.x * TPB):
        i = first + t
        tile[t + 1] = track[min(i, n - 1)]
        if t == 0:
            tile[0] = track[max(first - 1, 0)]
            tile[TPB + 1] = track[min(first + TPB, n - 1)]
        cuda.syncthreads()
        if i < n:
            out[i] = float32(0.25) * (tile[t] + tile[t + 2]) + float32(0.5) * tile[t + 1]
        cuda.syncthreads()


def smooth(track, passes=3):
    a = cuda.to_device(track)
    b = cuda.device_array_like(a)
    for _ in range(passes):
        smooth3[BLOCKS, TPB](a, b)
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    coverage = np.random.default_rng(0).poisson(30, 64_000_017).astype(np.float32)
    print(coverage.var(), smooth(coverage).var())
