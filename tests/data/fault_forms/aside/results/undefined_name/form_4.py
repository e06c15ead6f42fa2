import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def minimum_image(d, box):
    return d - box * math.floor(d / box + 0.5)


@cuda.jit
def nearest_distance(x, y, z, box, nearest):
    i = cuda.grid(1)
    if i >= x.size:
        return
    best = box * box
    for j in range(x.size):
        if j != i:
            dx = min_image(x[j] - x[i], box)  # fault: undefined_name
            dy = min_image(y[j] - y[i], box)  # fault: undefined_name
            dz = min_image(z[j] - z[i], box)  # fault: undefined_name
            best = min(best, dx * dx + dy * dy + dz * dz)
    nearest[i] = math.sqrt(best)


def nearest_neighbours(coords, box):
    """coords: (3, n) float64."""
    x, y, z = (cuda.to_device(c) for c in coords)
    nearest = cuda.device_array(coords.shape[1], dtype=np.float64)
    nearest_distance[(coords.shape[1] + 127) // 128, 128](x, y, z, box, nearest)
    return nearest.copy_to_host()


if __name__ == "__main__":
    print(nearest_neighbours(np.random.rand(3, 100_000) * 25.0, 25.0).mean())
