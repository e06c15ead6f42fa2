import numpy as np
from numba import cuda

THREADS = 512


@cuda.jit
def subtract_row_offset(scores, offset):
    row = cuda.blockIdx.x
    col = cuda.threadIdx.x
    if col < scores.shape[1]:
        scores[row, col] -= offset[row]


class Calibrator:
    def __init__(self, offset):
        self.offset = cuda.to_device(offset)

    def apply(self, scores):
        d_scores = cuda.to_device(scores)
        subtract_row_offset[scores.shape[0], THREADS](d_scores, self.offset)  # fault: idle_threads
        return d_scores.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(1_000_000, 10))
    calibrator = Calibrator(logits.max(axis=1))
    print(calibrator.apply(logits).max())
