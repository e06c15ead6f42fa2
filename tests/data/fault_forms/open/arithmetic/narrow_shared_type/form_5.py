"""Row maxima of a score matrix, one block per row."""
import numpy as np
from numba import cuda, int32

THREADS = 128


@cuda.jit
def row_max(scores, best):
    smem = cuda.shared.array(shape=THREADS, dtype=int32)  # fault: narrow_shared_type
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


def best_scores(scores):
    """scores: (queries, references) float32 similarities in [0, 1]."""
    assert scores.shape[1] >= THREADS
    d_best = cuda.device_array(scores.shape[0], dtype=np.float32)
    row_max[scores.shape[0], THREADS](cuda.to_device(scores), d_best)
    return d_best.copy_to_host()


if __name__ == "__main__":
    print(best_scores(np.random.rand(20000, 4096).astype(np.float32))[:6])
