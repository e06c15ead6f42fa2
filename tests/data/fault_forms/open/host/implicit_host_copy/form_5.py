import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def haversine(lat1, lon1, lat2, lon2):
    s = math.sin(0.5 * (lat2 - lat1))
    t = math.sin(0.5 * (lon2 - lon1))
    h = s * s + math.cos(lat1) * math.cos(lat2) * t * t
    return 12742.0 * math.asin(math.sqrt(min(1.0, h)))


@cuda.jit
def within(lat, lon, lat0, lon0, radius, hit):
    i = cuda.grid(1)
    if i < hit.size:
        hit[i] = haversine(lat[i], lon[i], lat0, lon0) <= radius


def stations_near(lat, lon, places, radius):
    """Indices of the stations around each place."""
    hit = cuda.device_array(lat.size, dtype=np.bool_)
    launch = within.forall(lat.size)
    found = []
    for lat0, lon0 in places:
        launch(lat, lon, lat0, lon0, radius, hit)  # fault: implicit_host_copy
        found.append(np.flatnonzero(hit.copy_to_host()))
    return found


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    lat = np.arcsin(rng.uniform(-1.0, 1.0, 8_000_000))
    lon = rng.uniform(-np.pi, np.pi, 8_000_000)
    groups = stations_near(lat, lon, zip(lat[:50], lon[:50]), 250.0)
    print([len(g) for g in groups])
