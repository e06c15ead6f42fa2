import math

import numpy as np
from numba import cuda


@cuda.jit("void(float64[:, ::1], float64[:, ::1], int64, float64)")
def gaussian_rows(image, blurred, radius, sigma):
    x, y = cuda.grid(2)
    h, w = image.shape
    if x < w and y < h:
        acc = 0.0
        weight = 0.0
        for k in range(-radius, radius + 1):
            g = math.exp(-0.5 * k * k / (sigma * sigma))  # fault: thread_invariant_recompute
            xx = min(max(x + k, 0), w - 1)
            acc += g * image[y, xx]
            weight += g
        blurred[y, x] = acc / weight


image = np.random.rand(4320, 7680)
sigma = 4.0
d_image = cuda.to_device(image)
d_blurred = cuda.device_array(image.shape, dtype=np.float64)
blocks = (math.ceil(image.shape[1] / 32), math.ceil(image.shape[0] / 8))
gaussian_rows[blocks, (32, 8)](d_image, d_blurred, int(3 * sigma), sigma)
print(d_blurred.copy_to_host().std())
