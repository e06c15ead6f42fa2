# near: thread_invariant_recompute
import math

import numpy as np
from numba import cuda


@cuda.jit
def project_channels(samples, cosine, sine, power):
    c = cuda.grid(1)
    if c < power.size:
        re = 0.0
        im = 0.0
        for t in range(samples.shape[0]):
            v = samples[t, c]
            re += v * cosine[t]
            im -= v * sine[t]
        power[c] = re * re + im * im


def tone_power(samples, frequency):
    channels = samples.shape[1]
    angle = 2.0 * math.pi * frequency * np.arange(samples.shape[0])
    d_power = cuda.device_array(channels, dtype=np.float64)
    d_cos = cuda.to_device(np.cos(angle))
    d_sin = cuda.to_device(np.sin(angle))
    threads = 128
    blocks = (channels + threads - 1) // threads
    project_channels[blocks, threads](cuda.to_device(samples), d_cos, d_sin, d_power)
    return d_power.copy_to_host()


if __name__ == "__main__":
    print(tone_power(np.random.rand(4096, 65536), 0.0371)[:4])
