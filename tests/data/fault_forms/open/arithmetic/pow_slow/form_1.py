import numpy as np
from numba import cuda


@cuda.jit
def radial_profile(x, y, z, origin_x, origin_y, origin_z, radius):
    i = cuda.grid(1)
    if i < radius.size:
        dx = x[i] - origin_x
        dy = y[i] - origin_y
        dz = z[i] - origin_z
        radius[i] = (dx * dx + dy * dy + dz * dz) ** 0.5  # fault: pow_slow


def radii(coords, origin):
    """coords: three float64 arrays of equal length."""
    d = [cuda.to_device(c) for c in coords]
    d_radius = cuda.device_array(coords[0].size, dtype=np.float64)
    threads = 256
    blocks = (coords[0].size + threads - 1) // threads
    radial_profile[blocks, threads](*d, origin[0], origin[1], origin[2], d_radius)
    return d_radius.copy_to_host()


if __name__ == "__main__":
    n = 20_000_000
    print(radii([np.random.rand(n) for _ in range(3)], (0.5, 0.5, 0.5)).max())
