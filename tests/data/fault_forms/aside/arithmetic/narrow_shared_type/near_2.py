# near: narrow_shared_type
"""Row maxima of a score matrix, one block per row."""
import numpy as np
from numba import cuda, uint8

THREADS = 128


@cuda.jit
def row_max(scores, best):
    smem = cuda.shared.array(shape=THREADS, dtype=uint8)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    m = scores[row, t]
    for c in range(t + THREADS, scores.shape[1], THREADS):
        m = max(m, scores[row, c])
    smem[t] = m
    cuda.syncthreads()
    s = THREADS // 2
    while s > 0:
        if t < s:
            smem[t] = max(smem[t], smem[t + s])
        cuda.syncthreads()
        s //= 2
    if t == 0:
        best[row] = smem[0]


def brightest(images):
    """images: (count, pixels) uint8."""
    assert images.shape[1] >= THREADS
    d_best = cuda.device_array(images.shape[0], dtype=np.uint8)
    row_max[images.shape[0], THREADS](cuda.to_device(images), d_best)
    return d_best.copy_to_host()


if __name__ == "__main__":
    print(brightest(np.random.randint(0, 200, (50000, 4096)).astype(np.uint8))[:6])
