"""Dilate a binary mask; the work is spread over a small fixed grid."""
import numpy as np
from numba import cuda


@cuda.jit
def dilate(mask, out):
    x0, y0 = cuda.grid(2)
    sx, sy = cuda.gridsize(2)
    h, w = mask.shape
    for y in range(y0, h, sy):
        for x in range(x0, w, sx):
            hit = mask[y, x]
            if x > 0:
                hit |= mask[y, x - 1]
            if x < w - 1:
                hit |= mask[y, x + 1]
            if y > 0:
                hit |= mask[y - 1, x]
            if y < h - 1:
                hit |= mask[y + 1, x]
            out[y, x] = hit


def grow(mask, rounds):
    a = cuda.to_device(mask)
    b = cuda.device_array_like(a)
    config = (2, 2), (32, 8)
    for _ in range(rounds):
        dilate[config](a, b)  # fault: grid_too_small
        a, b = b, a
    return a.copy_to_host()


if __name__ == "__main__":
    seeds = (np.random.default_rng(4).random((8192, 8192)) > 0.9999).astype(np.uint8)
    print(grow(seeds, 25).mean())
