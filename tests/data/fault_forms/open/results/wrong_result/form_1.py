"""2x2 max pooling of signed activations."""
import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def max_pool(act, pooled):
    x, y = cuda.grid(2)
    if y >= pooled.shape[0] or x >= pooled.shape[1]:
        return
    best = np.float32(0.0)  # fault: wrong_result
    for dy in range(2):
        for dx in range(2):
            best = max(best, act[2 * y + dy, 2 * x + dx])
    pooled[y, x] = best


class MaxPool2x2:
    """Pools pre-activation maps (before the non-linearity, so negative values are usual)."""

    threads = (32, 8)

    def __call__(self, act):
        h, w = act.shape[0] // 2, act.shape[1] // 2
        pooled = cp.empty((h, w), dtype=cp.float32)
        blocks = ((w + 31) // 32, (h + 7) // 8)
        max_pool[blocks, self.threads](act, pooled)
        return pooled


if __name__ == "__main__":
    maps = cp.random.standard_normal((4096, 4096), dtype=cp.float32)
    print(MaxPool2x2()(maps).shape)
