# near: block_not_warp_multiple
import numpy as np
from numba import cuda

THREADS = 160


@cuda.jit
def convert(raw, volts, gain, offset):
    i = cuda.grid(1)
    if i < raw.size:
        volts[i] = raw[i] * gain + offset


def calibrate(raw, gain, offset):
    volts = cuda.device_array(raw.size, dtype=np.float64)
    blocks = (raw.size + THREADS - 1) // THREADS
    convert[blocks, THREADS](cuda.to_device(raw), volts, gain, offset)
    return volts.copy_to_host()


if __name__ == "__main__":
    adc = np.random.default_rng(0).integers(-2048, 2048, 80_000_000).astype(np.int16)
    print(calibrate(adc, 0.0048, 1.25).mean())
