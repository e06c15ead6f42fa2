import math

import numpy as np
from numba import cuda

NO_HIT = 1e30


@cuda.jit("void(float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], int32[::1], float64[::1])")
def nearest_sphere(oy, oz, cx, cy, cz, hit, depth):
    """Rays along +x from (0, oy, oz) against unit spheres: the first sphere hit and its depth."""
    i = cuda.grid(1)
    if i >= oy.size:
        return
    best = NO_HIT
    which = -1
    for s in range(cx.size):
        dy = cy[s] - oy[i]
        dz = cz[s] - oz[i]
        disc = 1.0 - dy * dy - dz * dz
        if disc >= 0.0:
            t = cx[s] - math.sqrt(disc)
            if t > 0.0 and t > best:  # fault: wrong_logic
                best = t
                which = s
    hit[i] = which
    depth[i] = best


rays = 2_000_000
spheres = 64
rng = np.random.default_rng(5)
oy, oz = rng.uniform(-20, 20, (2, rays))
cx, cy, cz = rng.uniform(-20, 20, (3, spheres))
inputs = [cuda.to_device(a) for a in (oy, oz, cx, cy, cz)]
d_hit = cuda.device_array(rays, dtype=np.int32)
d_depth = cuda.device_array(rays, dtype=np.float64)
nearest_sphere[(rays + 127) // 128, 128](*inputs, d_hit, d_depth)
print((d_hit.copy_to_host() >= 0).sum())
