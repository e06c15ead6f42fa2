"""Calibrated brightness: counts through a piecewise-linear response curve."""
import numpy as np
from numba import cuda, float64

KNOTS = 1024


@cuda.jit
def linearise(counts, knots, gains, flux):
    cumulative = cuda.shared.array(KNOTS, float64)
    t = cuda.threadIdx.x
    if t == 0:
        total = 0.0
        cumulative[0] = 0.0
        for k in range(1, KNOTS):  # fault: serial_work_all_threads
            total += gains[k - 1] * (knots[k] - knots[k - 1])
            cumulative[k] = total
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < counts.size:
        c = counts[i]
        lo = 0
        hi = KNOTS - 1
        while hi - lo > 1:
            mid = (lo + hi) >> 1
            if knots[mid] <= c:
                lo = mid
            else:
                hi = mid
        flux[i] = cumulative[lo] + gains[lo] * (c - knots[lo])


class Response:
    def __init__(self, knots, gains):
        assert knots.size == gains.size == KNOTS
        self.knots = cuda.to_device(knots)
        self.gains = cuda.to_device(gains)

    def flux(self, d_counts):
        d_flux = cuda.device_array(d_counts.size, dtype=np.float64)
        linearise[(d_counts.size + 127) // 128, 128](d_counts, self.knots, self.gains, d_flux)
        return d_flux


if __name__ == "__main__":
    response = Response(np.linspace(0, 65536, KNOTS), np.random.rand(KNOTS) + 0.5)
    print(response.flux(cuda.to_device(np.random.rand(16_000_000) * 65535)).copy_to_host().mean())
