import math

import numpy as np
from numba import cuda


@cuda.jit
def bilinear_shift(src, dst, sx, sy):
    x, y = cuda.grid(2)
    h, w = src.shape
    if x >= w or y >= h:
        return
    fx = min(max(x + sx, 0.0), w - 1.0)
    fy = min(max(y + sy, 0.0), h - 1.0)
    x0 = int(fx)
    y0 = int(fy)
    x1 = min(x0 + 1, w - 1)
    y1 = min(y0 + 1, h - 1)
    ax = fx - x0
    ay = fy - y0
    top = (1.0 - ax) * src[y0, x0] + ax * src[y0, x1]
    bottom = (1.0 - ax) * src[y1, x0] + ax * src[y0, x1]  # fault: wrong_index
    dst[y, x] = (1.0 - ay) * top + ay * bottom


def register(moving, shift):
    d_src = cuda.to_device(moving)
    d_dst = cuda.device_array(moving.shape, dtype=np.float64)
    threads = (32, 8)
    blocks = (math.ceil(moving.shape[1] / 32), math.ceil(moving.shape[0] / 8))
    bilinear_shift[blocks, threads](d_src, d_dst, shift[0], shift[1])
    return d_dst.copy_to_host()


if __name__ == "__main__":
    print(register(np.random.rand(3000, 4000), (0.37, -1.6)).mean())
