"""Colour space conversion of a video frame stack (planar, CuPy)."""
import cupy as cp
import numpy as np
from numba import cuda, float32

CONFIG = {"block": (8, 2, 1)}


@cuda.jit
def hsv_value_saturation(frames, val, sat):
    """frames: (time, 3, rows, cols)."""
    x, y, f = cuda.grid(3)
    if x >= frames.shape[3] or y >= frames.shape[2] or f >= frames.shape[0]:
        return
    r = frames[f, 0, y, x]
    g = frames[f, 1, y, x]
    b = frames[f, 2, y, x]
    top = max(r, max(g, b))
    low = min(r, min(g, b))
    val[f, y, x] = top
    if top > float32(0.0):
        sat[f, y, x] = (top - low) / top
    else:
        sat[f, y, x] = float32(0.0)


def value_saturation(frames, block=None):
    block = block or CONFIG["block"]
    t, _, rows, cols = frames.shape
    val = cp.empty((t, rows, cols), dtype=cp.float32)
    sat = cp.empty_like(val)
    grid = tuple(int(np.ceil(n / b)) for n, b in zip((cols, rows, t), block))
    hsv_value_saturation[grid, block](frames, val, sat)
    return val, sat


if __name__ == "__main__":
    clip = cp.random.random((30, 3, 1080, 1920), dtype=cp.float32)
    v, s = value_saturation(clip)
    print(float(v.mean()), float(s.mean()))
