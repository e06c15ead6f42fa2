import functools
import math
import time

import numpy as np
from numba import cuda


def timed(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        begin = time.time()
        result = func(*args, **kwargs)
        wrapper.seconds = time.time() - begin  # fault: timing_without_sync
        return result
    return wrapper


@cuda.jit(device=True)
def morlet(t, w):
    return math.exp(-0.5 * t * t) * math.cos(w * t)


@cuda.jit
def wavelet_transform(signal, out, scale, half):
    i = cuda.grid(1)
    if i < out.size:
        acc = 0.0
        for k in range(-half, half + 1):
            j = i + k
            if 0 <= j < signal.size:
                acc += signal[j] * morlet(k / scale, 6.0)
        out[i] = acc


@timed
def transform(d_signal, d_out, scale):
    blocks = (d_out.size + 255) // 256
    wavelet_transform[blocks, 256](d_signal, d_out, scale, int(4 * scale))
    return d_out


if __name__ == "__main__":
    d_signal = cuda.to_device(np.random.default_rng(4).normal(size=5_000_000))
    d_out = cuda.device_array(d_signal.size, dtype=np.float64)
    transform(d_signal, d_out, 4.0)
    cuda.synchronize()
    transform(d_signal, d_out, 64.0)
    print("scale 64 took", transform.seconds)
