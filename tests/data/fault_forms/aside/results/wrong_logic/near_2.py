# near: wrong_logic
"""Points farther than a radius from a given site."""
import cupy as cp
from numba import cuda


@cuda.jit
def outside_radius(px, py, cx, cy, radius, flags):
    i = cuda.grid(1)
    if i < px.size:
        dx = px[i] - cx
        dy = py[i] - cy
        flags[i] = 1 if dx * dx + dy * dy > radius * radius else 0


def outliers(px, py, centre, radius):
    flags = cp.empty(px.size, dtype=cp.uint8)
    outside_radius[(px.size + 255) // 256, 256](px, py, centre[0], centre[1], radius, flags)
    return cp.flatnonzero(flags)


if __name__ == "__main__":
    n = 10_000_000
    print(outliers(cp.random.rand(n), cp.random.rand(n), (0.5, 0.5), 0.4).size)
