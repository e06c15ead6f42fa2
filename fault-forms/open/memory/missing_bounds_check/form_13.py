"""Moving average of a long sensor log (centred window)."""
import numpy as np
from numba import cuda, float32


def build_filter(radius):
    width = 2 * radius + 1
    inv = np.float32(1.0 / width)

    @cuda.jit
    def smooth(signal, out):
        i = cuda.grid(1)
        if i < out.size:
            acc = float32(0.0)
            for k in range(width):
                acc += signal[i + k]
            out[i] = acc * inv

    return smooth


SMOOTHERS = {r: build_filter(r) for r in (2, 5, 10)}


def moving_average(signal, radius):
    d_in = cuda.to_device(signal)
    d_out = cuda.device_array_like(d_in)
    threads = 256
    blocks = (signal.size + threads - 1) // threads
    SMOOTHERS[radius][blocks, threads](d_in, d_out)
    smoothed = d_out.copy_to_host()
    return np.concatenate([signal[:radius], smoothed[: signal.size - 2 * radius], signal[-radius:]])


if __name__ == "__main__":
    log = np.random.default_rng(0).standard_normal(30_000_000, dtype=np.float32)
    for r in SMOOTHERS:
        print(r, moving_average(log, r).std())
