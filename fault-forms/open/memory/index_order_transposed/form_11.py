import math

import numpy as np
from numba import cuda

width, height = 7680, 4320
max_iter = 256


@cuda.jit(device=True)
def escape(cr, ci, limit):
    zr = np.float32(0.0)
    zi = np.float32(0.0)
    for n in range(limit):
        r2 = zr * zr
        i2 = zi * zi
        if r2 + i2 > np.float32(4.0):
            return n
        zi = np.float32(2.0) * zr * zi + ci
        zr = r2 - i2 + cr
    return limit


@cuda.jit
def julia_norm(field, mean, scale, shade):
    py = cuda.blockDim.x * cuda.blockIdx.x + cuda.threadIdx.x
    px = cuda.blockDim.y * cuda.blockIdx.y + cuda.threadIdx.y
    if px < width and py < height:
        k = py * width + px
        shade[k] = (field[k] - mean) * scale


@cuda.jit
def mandel(field, x0, y0, step):
    px, py = cuda.grid(2)
    if px < width and py < height:
        field[py * width + px] = escape(x0 + np.float32(px) * step, y0 + np.float32(py) * step, max_iter)


tpb = (16, 16)
field = cuda.device_array(width * height, dtype=np.float32)
mandel[(math.ceil(width / 16), math.ceil(height / 16)), tpb](
    field, np.float32(-2.2), np.float32(-1.2), np.float32(3.2 / width))
host = field.copy_to_host()
shade = cuda.device_array(width * height, dtype=np.float32)
julia_norm[(math.ceil(height / 16), math.ceil(width / 16)), tpb](
    field, np.float32(host.mean()), np.float32(1.0 / host.std()), shade)
print(shade.copy_to_host().reshape(height, width)[::500, ::500])
