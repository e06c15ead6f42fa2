# near: wrong_result
"""2x2 max pooling after the rectifier."""
import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def relu_max_pool(act, pooled):
    """max over the window of max(0, act): starting from zero applies the rectifier."""
    x, y = cuda.grid(2)
    if y >= pooled.shape[0] or x >= pooled.shape[1]:
        return
    best = np.float32(0.0)
    for dy in range(2):
        for dx in range(2):
            best = max(best, act[2 * y + dy, 2 * x + dx])
    pooled[y, x] = best


def relu_pool(act):
    h, w = act.shape[0] // 2, act.shape[1] // 2
    pooled = cp.empty((h, w), dtype=cp.float32)
    blocks = ((w + 31) // 32, (h + 7) // 8)
    relu_max_pool[blocks, (32, 8)](act, pooled)
    return pooled


if __name__ == "__main__":
    maps = cp.random.standard_normal((4096, 4096), dtype=cp.float32)
    print(relu_pool(maps).shape)
