# near: missing_bounds_check
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def inside(row, col, shape):
    return row >= 0 and col >= 0 and row < shape[0] and col < shape[1]


@cuda.jit(device=True)
def clamp(v, top):
    return min(max(v, 0), top - 1)


@cuda.jit
def dilate(mask, out):
    col, row = cuda.grid(2)
    if not inside(row, col, mask.shape):
        return
    best = mask[row, col]
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            best = max(best, mask[clamp(row + dr, mask.shape[0]), clamp(col + dc, mask.shape[1])])
    out[row, col] = best


def binary_dilation(mask):
    mask = np.ascontiguousarray(mask, dtype=np.uint8)
    d_mask = cuda.to_device(mask)
    d_out = cuda.device_array_like(d_mask)
    threads = (32, 8)
    blocks = ((mask.shape[1] + 31) // 32, (mask.shape[0] + 7) // 8)
    dilate[blocks, threads](d_mask, d_out)
    return d_out.copy_to_host()
