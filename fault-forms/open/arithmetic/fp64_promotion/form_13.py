import math

import numpy as np
from numba import cuda, float32

N_HARMONICS = 32


@cuda.jit
def synthesize(phase, amplitude, out):
    """Additive synthesis: sum of the harmonics of each sample's phase."""
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        base = phase[i]
        acc = float32(0.0)
        for h in range(N_HARMONICS):
            acc += amplitude[h] * float32(math.sin((h + 1) * base))
        out[i] = acc


@cuda.jit
def soft_clip(x, drive):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        x[i] = math.tanh(drive * x[i])


def render(freq, seconds, rate=96000):
    n = int(seconds * rate)
    phase = (2 * np.pi * freq * np.arange(n) / rate) % (2 * np.pi)
    amplitude = 1.0 / np.arange(1, N_HARMONICS + 1)
    d_phase = cuda.to_device(phase.astype(np.float32))
    d_amp = cuda.to_device(amplitude.astype(np.float32))
    d_out = cuda.device_array(n, dtype=np.float32)
    cfg = (2048, 256)
    synthesize[cfg](d_phase, d_amp, d_out)
    soft_clip[cfg](d_out, np.float32(1.4))
    return d_out.copy_to_host()


if __name__ == "__main__":
    wave = render(110.0, 300.0)
    print(wave.min(), wave.max())
