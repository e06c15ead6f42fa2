"""Two-stage pipeline: window the frames, then take the power of each bin."""
import numpy as np
from numba import cuda

TPB = 128


@cuda.jit
def apply_window(frames, window):
    k = cuda.grid(1)
    f = cuda.blockIdx.y
    if k < frames.shape[1]:
        frames[f, k] *= window[k]


@cuda.jit
def power(re, im, out):
    k = cuda.grid(1)
    f = cuda.blockIdx.y
    if k < out.shape[1]:
        out[f, k] = re[f, k] * re[f, k] + im[f, k] * im[f, k]


def grid_for(width, rows):
    return (width + TPB - 1) // TPB, rows


def window_frames(frames, window):
    d_frames = cuda.to_device(frames)
    n_frames, length = frames.shape
    apply_window[grid_for(length // 2, n_frames), TPB](d_frames, cuda.to_device(window))  # fault: grid_does_not_cover
    return d_frames.copy_to_host()


def power_spectrum(spectrum):
    n_frames, bins = spectrum.shape
    d_out = cuda.device_array((n_frames, bins), dtype=np.float64)
    power[grid_for(bins, n_frames), TPB](
        cuda.to_device(np.ascontiguousarray(spectrum.real)),
        cuda.to_device(np.ascontiguousarray(spectrum.imag)), d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    audio = np.random.default_rng(3).normal(size=(20_000, 2048))
    framed = window_frames(audio, np.hanning(2048))
    print(power_spectrum(np.fft.rfft(framed, axis=1)).mean(axis=0)[:8])
