# near: fp64_promotion
"""Luma extraction for frames already on the device."""
import numpy as np
from numba import cuda

WR = np.float32(0.299)
WG = np.float32(0.587)
WB = np.float32(0.114)


@cuda.jit
def rgb_to_luma(rgb, luma):
    x, y = cuda.grid(2)
    if y < luma.shape[0] and x < luma.shape[1]:
        luma[y, x] = WR * rgb[0, y, x] + WG * rgb[1, y, x] + WB * rgb[2, y, x]


def luma_of_frame(frame):
    d_frame = cuda.to_device(np.ascontiguousarray(frame, dtype=np.float32))
    h, w = frame.shape[1:]
    d_luma = cuda.device_array((h, w), dtype=np.float32)
    rgb_to_luma[((w + 31) // 32, (h + 7) // 8), (32, 8)](d_frame, d_luma)
    return d_luma


if __name__ == "__main__":
    frame = np.random.rand(3, 2160, 3840).astype(np.float32)
    print(luma_of_frame(frame).copy_to_host().mean())
