import math

import numpy as np
from numba import cuda, float32

BLOCK = 256


@cuda.jit(device=True)
def pair(ax, ay, az, bx, by, bz, m):
    dx = bx - ax
    dy = by - ay
    dz = bz - az
    dist = math.sqrt(dx * dx + dy * dy + dz * dz + 1e-9)  # fault: fp64_promotion
    w = m / (dist * dist * dist)  # fault: fp64_promotion
    return dx * w, dy * w, dz * w


@cuda.jit
def gravity(x, y, z, m, ax, ay, az):
    sx = cuda.shared.array(BLOCK, float32)
    sy = cuda.shared.array(BLOCK, float32)
    sz = cuda.shared.array(BLOCK, float32)
    sm = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    n = x.size
    inside = i < n
    px = x[i] if inside else float32(0)
    py = y[i] if inside else float32(0)
    pz = z[i] if inside else float32(0)
    fx, fy, fz = float32(0), float32(0), float32(0)
    for start in range(0, n, BLOCK):
        j = start + t
        ok = j < n
        sx[t] = x[j] if ok else float32(0)
        sy[t] = y[j] if ok else float32(0)
        sz[t] = z[j] if ok else float32(0)
        sm[t] = m[j] if ok else float32(0)
        cuda.syncthreads()
        for k in range(BLOCK):
            gx, gy, gz = pair(px, py, pz, sx[k], sy[k], sz[k], sm[k])
            fx += float32(gx)
            fy += float32(gy)
            fz += float32(gz)
        cuda.syncthreads()
    if inside:
        ax[i] = fx
        ay[i] = fy
        az[i] = fz


def accelerations(xyz, mass):
    n = mass.size
    pos = [cuda.to_device(np.ascontiguousarray(xyz[:, k], dtype=np.float32)) for k in range(3)]
    acc = [cuda.device_array(n, dtype=np.float32) for _ in range(3)]
    gravity[(n + BLOCK - 1) // BLOCK, BLOCK](*pos, cuda.to_device(mass.astype(np.float32)), *acc)
    return np.stack([a.copy_to_host() for a in acc], axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    print(accelerations(rng.normal(size=(100_000, 3)), np.full(100_000, 1e-5)).std())
