"""Row statistics of a spectrogram archive (few channels, very long)."""
import math

import numpy as np
from numba import cuda

N_CHANNELS = 64
THREADS = 64


@cuda.jit
def channel_energy(spec_t, energy):
    """spec_t is (samples, channels), so that neighbouring threads read neighbouring words."""
    ch = cuda.grid(1)
    if ch < spec_t.shape[1]:
        acc = np.float32(0.0)
        for s in range(spec_t.shape[0]):
            v = spec_t[s, ch]
            acc += v * v
        energy[ch] = acc


def energies(spec_t):
    d_spec = cuda.to_device(spec_t)
    d_energy = cuda.device_array(spec_t.shape[1], dtype=np.float32)
    blocks = math.ceil(spec_t.shape[1] / THREADS)
    channel_energy[blocks, THREADS](d_spec, d_energy)
    return d_energy.copy_to_host()


def main():
    rng = np.random.default_rng(11)
    archive = rng.standard_normal((4_000_000, N_CHANNELS), dtype=np.float32)
    for ch, e in enumerate(energies(archive)):
        print(f"channel {ch:2d}: {e:.1f}")


if __name__ == "__main__":
    main()
