# near: broken_code
"""Moving average with a shared-memory window of fixed width."""
import numpy as np
from numba import cuda, float32

TPB = 256
RADIUS = 12
WIDTH = TPB + 2 * RADIUS
SCALE = np.float32(1.0 / (2 * RADIUS + 1))


@cuda.jit
def moving_average(signal, smooth):
    window = cuda.shared.array(shape=WIDTH, dtype=float32)
    t = cuda.threadIdx.x
    first = cuda.blockIdx.x * TPB - RADIUS
    k = t
    while k < WIDTH:
        j = first + k
        if j >= 0 and j < signal.size:
            window[k] = signal[j]
        else:
            window[k] = float32(0.0)
        k += TPB
    cuda.syncthreads()
    i = cuda.blockIdx.x * TPB + t
    if i < signal.size:
        acc = float32(0.0)
        for k in range(2 * RADIUS + 1):
            acc += window[t + k]
        smooth[i] = acc * SCALE


def smooth_trace(trace):
    d_in = cuda.to_device(trace)
    d_out = cuda.device_array_like(d_in)
    moving_average[(trace.size + TPB - 1) // TPB, TPB](d_in, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    print(smooth_trace(np.random.rand(8_000_000).astype(np.float32))[:4])
