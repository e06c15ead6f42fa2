# Gamma correction of a stack of 12-bit raw frames through a lookup table.
import numpy as np
from numba import cuda

PIXELS_PER_THREAD = 64


@cuda.jit("void(uint16[::1], uint8[::1], uint8[::1])")
def apply_lut(raw, lut, out):
    worker = cuda.grid(1)
    first = worker * PIXELS_PER_THREAD
    last = min(first + PIXELS_PER_THREAD, raw.size)
    for px in range(first, last):
        out[px] = lut[raw[px] & 0xFFF]


def gamma_table(gamma):
    levels = np.arange(4096) / 4095.0
    return np.round(255.0 * levels ** (1.0 / gamma)).astype(np.uint8)


def develop(frames, gamma=2.2):
    flat = cuda.to_device(frames.reshape(-1))
    table = cuda.to_device(gamma_table(gamma))
    result = cuda.device_array(flat.size, dtype=np.uint8)
    n_workers = -(-flat.size // PIXELS_PER_THREAD)
    tpb = 256
    apply_lut[-(-n_workers // tpb), tpb](flat, table, result)
    return result.copy_to_host().reshape(frames.shape)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    stack = rng.integers(0, 4096, size=(64, 2048, 2048), dtype=np.uint16)
    print(develop(stack).mean())
