import cupy as cp
import numpy as np
from numba import cuda, float32


@cuda.jit(device=True)
def bilinear(vol, k, j, i, fx, fy):
    top = vol[k, j, i] + fx * (vol[k, j, i + 1] - vol[k, j, i])  # fault: missing_bounds_check
    bottom = vol[k, j + 1, i] + fx * (vol[k, j + 1, i + 1] - vol[k, j + 1, i])  # fault: missing_bounds_check
    return top + fy * (bottom - top)


@cuda.jit(device=True)
def trilinear(vol, x, y, z):
    i, j, k = int(x), int(y), int(z)
    fx, fy, fz = x - float32(i), y - float32(j), z - float32(k)
    low = bilinear(vol, k, j, i, fx, fy)
    high = bilinear(vol, k + 1, j, i, fx, fy)  # fault: missing_bounds_check
    return low + fz * (high - low)


@cuda.jit
def sample_points(vol, px, py, pz, values):
    """Points are in voxel units and lie inside [0, n - 1] on each axis."""
    p = cuda.grid(1)
    if p < values.size:
        values[p] = trilinear(vol, px[p], py[p], pz[p])


def resample(vol, shift):
    nz, ny, nx = vol.shape
    zz, yy, xx = cp.meshgrid(*(cp.arange(n, dtype=cp.float32) for n in vol.shape), indexing="ij")
    coords = [cp.clip(c.ravel() + cp.float32(s), 0, n - 1).astype(cp.float32)
              for c, s, n in ((xx, shift[0], nx), (yy, shift[1], ny), (zz, shift[2], nz))]
    out = cp.empty(vol.size, dtype=cp.float32)
    threads = 256
    sample_points[(vol.size + threads - 1) // threads, threads](vol, *coords, out)
    return out.reshape(vol.shape)


if __name__ == "__main__":
    volume = cp.random.random((256, 256, 256), dtype=cp.float32)
    print(np.round(float(resample(volume, (0.4, -0.3, 0.2)).mean()), 5))
