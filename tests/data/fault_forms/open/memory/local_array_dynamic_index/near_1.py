# near: local_array_dynamic_index
import numpy as np
from numba import cuda, float64


@cuda.jit(device=True)
def rotate_z(v, c, s):
    x = v[0]
    v[0] = c * x - s * v[1]
    v[1] = s * x + c * v[1]


@cuda.jit
def spin(x, y, z, c, s, lift):
    i = cuda.grid(1)
    if i < x.size:
        v = cuda.local.array(3, float64)
        v[0] = x[i]
        v[1] = y[i]
        v[2] = z[i] + lift
        rotate_z(v, c, s)
        x[i] = v[0]
        y[i] = v[1]
        z[i] = v[2]


def spin_cloud(cloud, angle, lift):
    cols = [cuda.to_device(np.ascontiguousarray(cloud[:, k], dtype=np.float64)) for k in range(3)]
    n = cloud.shape[0]
    spin[(n + 255) // 256, 256](*cols, np.cos(angle), np.sin(angle), lift)
    return np.stack([c.copy_to_host() for c in cols], axis=1)


if __name__ == "__main__":
    np.save("scan_turned.npy", spin_cloud(np.load("scan_points.npy"), 0.35, 0.02))
