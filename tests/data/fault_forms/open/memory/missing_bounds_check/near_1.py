# near: missing_bounds_check
import cupy as cp
from numba import cuda

THREADS = 256
N = 1 << 24


@cuda.jit
def complex_magnitude(re, im, power):
    i = cuda.blockIdx.x * THREADS + cuda.threadIdx.x
    power[i] = re[i] * re[i] + im[i] * im[i]


def power_spectrum(signal):
    assert signal.size == N and N % THREADS == 0
    spec = cp.fft.fft(signal)
    re = cp.ascontiguousarray(spec.real)
    im = cp.ascontiguousarray(spec.imag)
    power = cp.empty(N, dtype=cp.float64)
    complex_magnitude[N // THREADS, THREADS](re, im, power)
    return power


if __name__ == "__main__":
    samples = cp.load("baseband_16M.npy").astype(cp.float64)
    cp.save("power.npy", power_spectrum(samples))
