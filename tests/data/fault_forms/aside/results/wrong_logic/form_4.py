"""Neighbour counts for density clustering."""
import numpy as np
from numba import cuda


@cuda.jit
def count_neighbours(px, py, eps, counts):
    i = cuda.grid(1)
    if i >= px.size:
        return
    x = px[i]
    y = py[i]
    limit = eps * eps
    found = 0
    for j in range(px.size):
        dx = px[j] - x
        dy = py[j] - y
        if dx * dx + dy * dy > limit:  # fault: wrong_logic
            found += 1
    counts[i] = found


def core_points(points, eps, min_points):
    """Indices of the points with at least `min_points` others within `eps`."""
    d_x = cuda.to_device(np.ascontiguousarray(points[:, 0]))
    d_y = cuda.to_device(np.ascontiguousarray(points[:, 1]))
    d_counts = cuda.device_array(len(points), dtype=np.int32)
    count_neighbours[(len(points) + 127) // 128, 128](d_x, d_y, eps, d_counts)
    return np.flatnonzero(d_counts.copy_to_host() >= min_points)


if __name__ == "__main__":
    print(core_points(np.random.rand(200_000, 2), 0.005, 12).size)
