"""Great-circle distances between GPS fixes and a reference station."""
import math

import numpy as np
from numba import cuda

EARTH_RADIUS_KM = 6371.0088


@cuda.jit("void(float64[::1], float64[::1], float64, float64, float64[::1])")
def haversine(lat_deg, lon_deg, lat0_deg, lon0_deg, km):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < km.size:
        half_dlat = 0.5 * math.radians(lat_deg[i] - lat0_deg)
        half_dlon = 0.5 * math.radians(lon_deg[i] - lon0_deg)
        sa = math.sin(half_dlat)
        so = math.sin(half_dlon)
        h = sa * sa + math.cos(lat_deg[i]) * math.cos(lat0_deg) * so * so  # fault: wrong_result
        km[i] = 2.0 * EARTH_RADIUS_KM * math.asin(math.sqrt(h))


fixes = 6_000_000
lat = np.random.uniform(40.0, 60.0, fixes)
lon = np.random.uniform(-10.0, 30.0, fixes)
d_lat = cuda.to_device(lat)
d_lon = cuda.to_device(lon)
d_km = cuda.device_array(fixes, dtype=np.float64)
haversine[math.ceil(fixes / 256), 256](d_lat, d_lon, 52.52, 13.405, d_km)
print("nearest fix [km]:", d_km.copy_to_host().min())
