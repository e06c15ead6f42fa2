import math

import numpy as np
from numba import cuda, from_dtype

star_t = np.dtype([("ra", np.float64), ("dec", np.float64), ("parallax", np.float64),
                   ("pm_ra", np.float64), ("pm_dec", np.float64), ("mag", np.float64)], align=True)
star_nb = from_dtype(star_t)


@cuda.jit
def absolute_magnitude(stars, result):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, stars.size, step):
        plx = stars[i].parallax  # fault: uncoalesced
        if plx > 0.0:
            result[i] = stars[i].mag + 5.0 * math.log10(plx) - 10.0  # fault: uncoalesced
        else:
            result[i] = math.nan


class Catalogue:
    threads = 256

    def __init__(self, path):
        self.stars = np.fromfile(path, dtype=star_t)
        self.d_stars = cuda.to_device(self.stars)

    def absolute_magnitudes(self):
        n = self.stars.size
        d_abs = cuda.device_array(n, dtype=np.float64)
        blocks = min((n + self.threads - 1) // self.threads, 4096)
        absolute_magnitude[blocks, self.threads](self.d_stars, d_abs)
        return d_abs.copy_to_host()


if __name__ == "__main__":
    cat = Catalogue("gaia_slice.bin")
    np.save("abs_mag.npy", cat.absolute_magnitudes())
