"""Spring forces of a triangulated cloth."""
import math

import numpy as np
from numba import cuda, float32


@cuda.jit(device=True)
def spring(ax, ay, az, bx, by, bz, rest, k):
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    s = k * (float32(1.0) - rest / length)
    return s * dx, s * dy, s * dz


@cuda.jit
def edge_forces(first, second, rest, x, y, z, k, fx, fy, fz):
    e = cuda.grid(1)
    if e >= first.size:
        return
    a = first[e]
    b = second[e]
    gx, gy, gz = spring(x[a], y[a], z[a], x[b], y[b], z[b], rest[e], k)
    fx[a] += gx
    fy[a] += gy
    fz[a] += gz
    fx[b] -= gx
    fy[b] -= gy
    fz[b] -= gz


def grid_edges(n):
    idx = np.arange(n * n, dtype=np.int32).reshape(n, n)
    right = np.stack([idx[:, :-1].ravel(), idx[:, 1:].ravel()])
    down = np.stack([idx[:-1].ravel(), idx[1:].ravel()])
    return np.concatenate([right, down], axis=1)


def main(n=2000, stiffness=40.0):
    a, b = grid_edges(n)
    gy, gx = np.mgrid[:n, :n].astype(np.float32) * np.float32(1.05)
    xyz = [cuda.to_device(v.ravel()) for v in (gx, gy, np.zeros_like(gx))]
    force = [cuda.to_device(np.zeros(n * n, dtype=np.float32)) for _ in range(3)]
    rest = cuda.to_device(np.ones(a.size, dtype=np.float32))
    edge_forces[(a.size + 255) // 256, 256](
        cuda.to_device(a), cuda.to_device(b), rest, *xyz, np.float32(stiffness), *force)
    print([float(np.abs(f.copy_to_host()).max()) for f in force])


if __name__ == "__main__":
    main()
