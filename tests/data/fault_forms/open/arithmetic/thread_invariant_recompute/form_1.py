"""Power of one tone in every channel of a recording."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def project_channels(samples, power, frequency):
    """samples: (time, channels). Power of each channel at one frequency."""
    c = cuda.grid(1)
    if c < power.size:
        re = 0.0
        im = 0.0
        for t in range(samples.shape[0]):
            angle = 2.0 * math.pi * frequency * t
            re += samples[t, c] * math.cos(angle)  # fault: thread_invariant_recompute
            im -= samples[t, c] * math.sin(angle)  # fault: thread_invariant_recompute
        power[c] = re * re + im * im


def tone_power(samples, frequency):
    channels = samples.shape[1]
    d_power = cuda.device_array(channels, dtype=np.float64)
    threads = 128
    blocks = (channels + threads - 1) // threads
    project_channels[blocks, threads](cuda.to_device(samples), d_power, frequency)
    return d_power.copy_to_host()


if __name__ == "__main__":
    print(tone_power(np.random.rand(4096, 65536), 0.0371)[:4])
