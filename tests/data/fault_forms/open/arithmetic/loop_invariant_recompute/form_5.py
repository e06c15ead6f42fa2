import math

import numpy as np
from numba import cuda, float64

TILE = 128


@cuda.jit("void(float64[::1], float64[::1], float64[::1])")
def angular_neighbours(lat, lon, score):
    """Sum of cosines of the angular distances to all stations (count a multiple of TILE)."""
    s_lat = cuda.shared.array(TILE, float64)
    s_lon = cuda.shared.array(TILE, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    acc = 0.0
    for base in range(0, lat.size, TILE):
        s_lat[t] = lat[base + t]
        s_lon[t] = lon[base + t]
        cuda.syncthreads()
        sin_i = math.sin(lat[i])  # fault: loop_invariant_recompute
        cos_i = math.cos(lat[i])  # fault: loop_invariant_recompute
        for k in range(TILE):
            acc += sin_i * s_lat[k] + cos_i * (1.0 - s_lat[k] * s_lat[k]) * (s_lon[k] - lon[i])
        cuda.syncthreads()
    score[i] = acc


n = 256 * 1024
lat = np.random.uniform(-1.5, 1.5, n)
lon = np.random.uniform(-3.1, 3.1, n)
assert n % TILE == 0
d_score = cuda.device_array(n, dtype=np.float64)
angular_neighbours[n // TILE, TILE](cuda.to_device(lat), cuda.to_device(lon), d_score)
print(d_score.copy_to_host()[:4])
