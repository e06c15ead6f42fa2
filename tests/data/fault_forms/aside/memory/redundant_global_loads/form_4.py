import numpy as np
from numba import cuda

RADIUS = 96


@cuda.jit
def fir_centre(signal, taps, out):
    i = cuda.grid(1)
    n = signal.size
    if i < n:
        acc = 0.0
        for k in range(-RADIUS, RADIUS + 1):
            j = i + k
            if 0 <= j < n:
                acc += signal[j] * taps[k + RADIUS]  # fault: redundant_global_loads
        out[i] = acc


def low_pass(signal, cutoff):
    k = np.arange(-RADIUS, RADIUS + 1)
    taps = 2.0 * cutoff * np.sinc(2.0 * cutoff * k) * np.hamming(k.size)
    taps /= taps.sum()
    d_signal = cuda.to_device(np.ascontiguousarray(signal, dtype=np.float64))
    d_taps = cuda.to_device(taps)
    d_out = cuda.device_array_like(d_signal)
    threads = 256
    fir_centre[(signal.size + threads - 1) // threads, threads](d_signal, d_taps, d_out)
    return d_out.copy_to_host()


eeg = np.load("eeg_channel_20M.npy")
np.save("eeg_filtered.npy", low_pass(eeg, 0.08))
