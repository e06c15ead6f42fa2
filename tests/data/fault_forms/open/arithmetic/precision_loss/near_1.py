# near: precision_loss
"""Pulsar phases: the epoch is taken off in double precision before the cheap float32 part."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def phases(toa, epoch, f0, phase):
    i = cuda.grid(1)
    if i < toa.size:
        cycles = f0 * (toa[i] - epoch)
        phase[i] = float32(cycles - int(cycles))


def fold(toa, epoch=5.0e9, f0=29.946923):
    d_toa = cuda.to_device(toa)
    d_phase = cuda.device_array(toa.size, dtype=np.float32)
    threads = 256
    blocks = (toa.size + threads - 1) // threads
    phases[blocks, threads](d_toa, epoch, f0, d_phase)
    return d_phase.copy_to_host()


if __name__ == "__main__":
    toa = 5.0e9 + np.sort(np.random.uniform(0, 86400.0, 10_000_000))
    print(np.histogram(fold(toa), bins=10)[0])
