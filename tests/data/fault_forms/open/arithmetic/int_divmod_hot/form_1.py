import numpy as np
from numba import cuda


@cuda.jit
def circular_convolve(signal, taps, out):
    i = cuda.grid(1)
    n = signal.size
    if i < n:
        acc = 0.0
        for k in range(taps.size):
            acc += taps[k] * signal[(i - k + n) % n]  # fault: int_divmod_hot
        out[i] = acc


def filter_loop(signal, taps):
    """Filter a periodic signal; taps.size < signal.size."""
    d_signal = cuda.to_device(signal)
    d_taps = cuda.to_device(taps)
    d_out = cuda.device_array_like(d_signal)
    threads = 256
    blocks = (signal.size + threads - 1) // threads
    circular_convolve[blocks, threads](d_signal, d_taps, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    print(filter_loop(np.random.rand(4_000_003), np.random.rand(301))[:4])
