"""Magnitude spectra of short frames by direct transform."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def frame_spectra(frames, cosine, sine, magnitude):
    """frames: (length, count); tables of one period; magnitude: (length, count)."""
    f = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    k = cuda.blockIdx.y
    n = frames.shape[0]
    if f < frames.shape[1]:
        re = 0.0
        im = 0.0
        j = 0
        for t in range(n):
            v = frames[t, f]
            re += v * cosine[j]
            im -= v * sine[j]
            j += k
            if j >= n:
                j -= n
        magnitude[k, f] = math.sqrt(re * re + im * im)


class SpectrumAnalyser:
    def __init__(self, length):
        angle = 2.0 * np.pi * np.arange(length) / length
        self.length = length
        self.cosine = cuda.to_device(np.cos(angle))
        self.sine = cuda.to_device(np.sin(angle))

    def band_energy(self, frames):
        count = frames.shape[1]
        d_mag = cuda.device_array((self.length, count), dtype=np.float64)
        grid = ((count + 127) // 128, self.length)
        frame_spectra[grid, 128](cuda.to_device(frames), self.cosine, self.sine, d_mag)  # fault: wasted_computation
        half = d_mag[: self.length // 2 + 1].copy_to_host()
        return half.sum(axis=1)


if __name__ == "__main__":
    print(SpectrumAnalyser(250).band_energy(np.random.rand(250, 20_000))[:4])
