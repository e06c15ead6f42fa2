"""Luma extraction for camera frames."""
import numpy as np
from numba import cuda


@cuda.jit
def rgb_to_luma(rgb, luma):
    x, y = cuda.grid(2)
    if y < luma.shape[0] and x < luma.shape[1]:
        r = rgb[0, y, x]
        g = rgb[1, y, x]
        b = rgb[2, y, x]
        luma[y, x] = 0.299 * r + 0.587 * g + 0.114 * b  # fault: fp64_promotion


def luma_of(planes):
    """planes: float32 (3, height, width); returns the luma plane on the device."""
    d_planes = cuda.to_device(np.ascontiguousarray(planes, dtype=np.float32))
    h, w = planes.shape[1:]
    d_luma = cuda.device_array((h, w), dtype=np.float32)
    threads = (32, 8)
    blocks = ((w + 31) // 32, (h + 7) // 8)
    rgb_to_luma[blocks, threads](d_planes, d_luma)
    return d_luma


if __name__ == "__main__":
    frame = np.random.rand(3, 2160, 3840).astype(np.float32)
    print(luma_of(frame).copy_to_host().mean())
