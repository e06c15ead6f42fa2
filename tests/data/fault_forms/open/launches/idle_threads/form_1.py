"""Rotate a cloud of points; the coordinates form the second block axis."""
import numpy as np
from numba import cuda

BLOCK = (16, 16)


@cuda.jit
def rotate(points, rot, out):
    p, axis = cuda.grid(2)
    if axis < out.shape[0] and p < out.shape[1]:
        out[axis, p] = (rot[axis, 0] * points[0, p]
                        + rot[axis, 1] * points[1, p]
                        + rot[axis, 2] * points[2, p])


def main():
    n = 10_000_000
    points = np.random.default_rng(0).normal(size=(3, n))
    c, s = np.cos(0.3), np.sin(0.3)
    rot = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    out = cuda.device_array((3, n), dtype=np.float64)
    grid = ((n + BLOCK[0] - 1) // BLOCK[0], 1)
    rotate[grid, BLOCK](cuda.to_device(points), cuda.to_device(rot), out)  # fault: idle_threads
    np.save("rotated.npy", out.copy_to_host())


if __name__ == "__main__":
    main()
