"""Peak of a correlation surface and where it lies."""
import numpy as np
from numba import cuda


@cuda.jit
def find_peak(surface, peak, where):
    x, y = cuda.grid(2)
    if y < surface.shape[0] and x < surface.shape[1]:
        v = surface[y, x]
        if v > peak[0]:
            peak[0] = v  # fault: data_race
            where[0] = y  # fault: data_race
            where[1] = x


class PeakFinder:
    block = (32, 8)

    def __init__(self):
        self.floor = np.full(1, -np.inf, dtype=np.float32)

    def __call__(self, d_surface):
        rows, cols = d_surface.shape
        grid = (-(-cols // self.block[0]), -(-rows // self.block[1]))
        peak = cuda.to_device(self.floor)
        where = cuda.to_device(np.zeros(2, dtype=np.int32))
        find_peak[grid, self.block](d_surface, peak, where)
        return float(peak.copy_to_host()[0]), tuple(where.copy_to_host())


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a = rng.random((4096, 4096))
    b = np.roll(a, (137, -52), axis=(0, 1))
    corr = np.fft.ifft2(np.fft.fft2(b) * np.conj(np.fft.fft2(a))).real
    print(PeakFinder()(cuda.to_device(corr.astype(np.float32))))
