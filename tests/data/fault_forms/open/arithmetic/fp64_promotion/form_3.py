import math

import numpy as np
from numba import cuda

n = 1 << 22
x = np.linspace(-6, 6, n).astype(np.float32)
centers = np.array([-2.0, -0.5, 0.75, 3.0], dtype=np.float32)
widths = np.array([0.3, 0.7, 0.2, 1.1], dtype=np.float32)


@cuda.jit("void(float32[::1], float32[::1], float32[::1], float32[::1])")
def gaussian_mixture(x, centers, widths, density):
    i = cuda.grid(1)
    if i < x.size:
        total = np.float32(0.0)
        for c in range(centers.size):
            z = (x[i] - centers[c]) / widths[c]
            total += np.float32(math.exp(-0.5 * z * z) / (2.5066282746 * widths[c]))  # fault: fp64_promotion
        density[i] = total


d_x = cuda.to_device(x)
d_centers = cuda.to_device(centers)
d_widths = cuda.to_device(widths)
d_density = cuda.device_array(n, dtype=np.float32)
gaussian_mixture[(n + 255) // 256, 256](d_x, d_centers, d_widths, d_density)
density = d_density.copy_to_host()
print("peak", density.max())
