import math

import numpy as np
from numba import cuda


@cuda.jit
def nearest_station(lat, lon, s_lat, s_lon, max_km, station):
    """Index of the closest station within max_km, or -1."""
    i = cuda.grid(1)
    if i >= lat.size:
        return
    best = 1e300
    which = -1
    cos_lat = math.cos(lat[i])
    for s in range(s_lat.size):
        a = math.sin(0.5 * (s_lat[s] - lat[i]))
        b = math.sin(0.5 * (s_lon[s] - lon[i]))
        h = a * a + cos_lat * math.cos(s_lat[s]) * b * b
        km = 12742.0 * math.asin(math.sqrt(min(h, 1.0)))  # fault: wasted_computation
        if km < best:
            best = km
            which = s
    station[i] = which if best <= max_km else -1


def assign(lat, lon, s_lat, s_lon, max_km=25.0):
    arrays = [cuda.to_device(np.radians(a)) for a in (lat, lon, s_lat, s_lon)]
    d_station = cuda.device_array(lat.size, dtype=np.int32)
    nearest_station[math.ceil(lat.size / 128), 128](*arrays, max_km, d_station)
    return d_station.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    n = 1_000_000
    print((assign(rng.uniform(40, 60, n), rng.uniform(-5, 25, n), rng.uniform(40, 60, 800), rng.uniform(-5, 25, 800)) >= 0).sum())
