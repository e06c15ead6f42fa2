"""Non-local patch matching with mean-removed patches."""
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def patch_mean(img, y, x, r):
    s = 0.0
    for j in range(-r, r + 1):
        for i in range(-r, r + 1):
            s += img[y + j, x + i]
    return s / ((2 * r + 1) * (2 * r + 1))


@cuda.jit
def best_offset(img, search, r, offset, cost):
    x, y = cuda.grid(2)
    h, w = img.shape
    m = search + r
    if y < m or x < m or y >= h - m or x >= w - m:
        return
    best = 1e300
    best_dx = 0
    for dx in range(1, search + 1):
        here = patch_mean(img, y, x, r)  # fault: loop_invariant_recompute
        there = patch_mean(img, y, x + dx, r)
        ssd = 0.0
        for j in range(-r, r + 1):
            for i in range(-r, r + 1):
                d = (img[y + j, x + i] - here) - (img[y + j, x + dx + i] - there)
                ssd += d * d
        if ssd < best:
            best = ssd
            best_dx = dx
    offset[y, x] = best_dx
    cost[y, x] = best


def self_similarity(img, search=16, radius=3):
    d_offset = cuda.to_device(np.zeros(img.shape, dtype=np.int32))
    d_cost = cuda.to_device(np.zeros(img.shape))
    grid = ((img.shape[1] + 31) // 32, (img.shape[0] + 7) // 8)
    best_offset[grid, (32, 8)](cuda.to_device(img), search, radius, d_offset, d_cost)
    return d_offset.copy_to_host(), d_cost.copy_to_host()


if __name__ == "__main__":
    print(self_similarity(np.random.rand(2048, 2048))[1].max())
