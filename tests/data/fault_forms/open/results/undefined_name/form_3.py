import cupy as cp
from numba import cuda


class PhaseBinner:
    """Folds event times on a period and labels each with its phase bin."""

    N_BINS = 64

    def __init__(self, period):
        self.period = period

    @staticmethod
    @cuda.jit
    def _fold(times, period, bins):
        start = cuda.grid(1)
        for i in range(start, times.size, cuda.gridsize(1)):
            cycles = times[i] / period
            phase = cycles - int(cycles)
            bins[i] = int(phase * N_BINS)  # fault: undefined_name

    def fold(self, times):
        bins = cp.empty(times.size, dtype=cp.int32)
        self._fold[1024, 256](times, self.period, bins)
        return cp.bincount(bins, minlength=self.N_BINS)


events = cp.random.rand(20_000_000) * 86400.0
print(PhaseBinner(0.0331).fold(events))
