# near: int_divmod_hot
import numpy as np
from numba import cuda


@cuda.jit
def circular_convolve(signal, taps, out):
    i = cuda.grid(1)
    n = signal.size
    if i < n:
        acc = 0.0
        j = i
        for k in range(taps.size):
            acc += taps[k] * signal[j]
            j = j - 1 if j > 0 else n - 1
        out[i] = acc


def filter_loop(signal, taps):
    d_signal = cuda.to_device(signal)
    d_taps = cuda.to_device(taps)
    d_out = cuda.device_array_like(d_signal)
    threads = 256
    blocks = (signal.size + threads - 1) // threads
    circular_convolve[blocks, threads](d_signal, d_taps, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    print(filter_loop(np.random.rand(4_000_003), np.random.rand(301))[:4])
