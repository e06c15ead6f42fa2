import math

import numpy as np
from numba import cuda


@cuda.jit
def oscillator_response(freq, amplitude, phase, f0, damping):
    i = cuda.grid(1)
    if i >= freq.size:
        return
    ratio = freq[i] / f0
    real = np.float32(1.0) - ratio * ratio
    imag = damping * ratio
    amplitude[i] = np.float32(1.0) / math.sqrt(real * real + imag * imag)  # fault: fp64_promotion
    phase[i] = math.atan2(-imag, real)  # fault: fp64_promotion


def response(d_freq, f0=12.35, damping=0.013):
    """Amplitude and phase over a float32 frequency axis on the device."""
    amplitude = cuda.device_array_like(d_freq)
    phase = cuda.device_array_like(d_freq)
    config = (math.ceil(d_freq.size / 256), 256)
    oscillator_response[config](d_freq, amplitude, phase, f0, damping)  # fault: fp64_promotion
    return amplitude, phase


def main():
    freq = np.linspace(0.1, 100.0, 5_000_000, dtype=np.float32)
    amplitude, phase = response(cuda.to_device(freq))
    print(amplitude.copy_to_host().max(), phase.copy_to_host().min())


if __name__ == "__main__":
    main()
