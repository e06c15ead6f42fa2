# near: uninitialized_local
import cupy as cp
from numba import cuda


@cuda.jit
def limiter(a, b, slope):
    """Minmod slope of neighbouring differences."""
    i = cuda.grid(1)
    if i < a.size:
        x = a[i]
        y = b[i]
        if x > 0.0 and y > 0.0:
            s = min(x, y)
        elif x < 0.0 and y < 0.0:
            s = max(x, y)
        else:
            s = 0.0
        slope[i] = s


def minmod(u):
    d = cp.diff(u)
    left = cp.ascontiguousarray(d[:-1])
    right = cp.ascontiguousarray(d[1:])
    slope = cp.empty_like(left)
    limiter[(left.size + 255) // 256, 256](left, right, slope)
    return slope


if __name__ == "__main__":
    cp.save("slopes.npy", minmod(cp.load("density_profile.npy").astype(cp.float64)))
