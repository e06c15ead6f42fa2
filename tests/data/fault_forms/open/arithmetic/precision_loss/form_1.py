"""Pulsar phases from barycentric arrival times in seconds (about 5e9)."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def phases(toa, epoch, f0, f1, phase):
    i = cuda.grid(1)
    if i < toa.size:
        t = float32(toa[i])  # fault: precision_loss
        dt = t - epoch
        cycles = f0 * dt + 0.5 * f1 * dt * dt
        phase[i] = cycles - int(cycles)


def fold(toa, epoch=5.0e9, f0=29.946923, f1=-3.77535e-10):
    d_toa = cuda.to_device(toa)
    d_phase = cuda.device_array(toa.size, dtype=np.float64)
    threads = 256
    blocks = (toa.size + threads - 1) // threads
    phases[blocks, threads](d_toa, epoch, f0, f1, d_phase)
    return d_phase.copy_to_host()


if __name__ == "__main__":
    toa = 5.0e9 + np.sort(np.random.uniform(0, 86400.0, 10_000_000))
    print(np.histogram(fold(toa), bins=10)[0])
