import math

import numpy as np
from numba import cuda


@cuda.jit("float32(float32, float32, float32)", device=True)  # fault: precision_loss
def triangle_area(ax, ay, by):
    return np.float32(0.5) * abs(ax * by - ay)


@cuda.jit("void(float64[::1], float64[::1], float64[::1], float64[::1])")
def polygon_terms(x, y, weight, area):
    i = cuda.grid(1)
    if i < area.size:
        j = i + 1 if i + 1 < area.size else 0
        cross = x[j] * y[i]
        area[i] = weight[i] * triangle_area(x[i], cross, y[j])


def survey_area(easting, northing, weight):
    """Coordinates in a national grid (metres, 7 digits before the point), all float64."""
    n = easting.size
    d_area = cuda.device_array(n, dtype=np.float64)
    args = [cuda.to_device(v) for v in (easting, northing, weight)]
    polygon_terms[math.ceil(n / 256), 256](*args, d_area)
    return d_area.copy_to_host()


if __name__ == "__main__":
    n = 5_000_000
    east = 4_321_000.0 + np.random.rand(n)
    north = 3_210_000.0 + np.random.rand(n)
    print(survey_area(east, north, np.ones(n)).sum())
