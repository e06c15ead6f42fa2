# near: idle_threads
import numpy as np
from numba import cuda

BLOCK = (64, 4)


@cuda.jit
def apply_gain(channels, gain):
    t, ch = cuda.grid(2)
    if ch < channels.shape[0] and t < channels.shape[1]:
        channels[ch, t] *= gain[ch]


def amplify(channels, gain):
    n_ch, n_t = channels.shape
    d = cuda.to_device(channels)
    grid = (n_t + BLOCK[0] - 1) // BLOCK[0], (n_ch + BLOCK[1] - 1) // BLOCK[1]
    apply_gain[grid, BLOCK](d, cuda.to_device(gain))
    return d.copy_to_host()


if __name__ == "__main__":
    quad = np.random.default_rng(0).normal(size=(4, 8_000_000))
    print(amplify(quad, np.array([1.0, 1.1, 0.9, 1.2])).std(axis=1))
