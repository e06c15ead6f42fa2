"""Moving average with a shared-memory window."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def moving_average(signal, radius, smooth):
    width = cuda.blockDim.x + 2 * radius
    window = cuda.shared.array(shape=width, dtype=float32)  # fault: broken_code
    t = cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.x - radius
    k = t
    while k < width:
        j = first + k
        if j >= 0 and j < signal.size:
            window[k] = signal[j]
        else:
            window[k] = float32(0.0)
        k += cuda.blockDim.x
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < signal.size:
        acc = float32(0.0)
        for k in range(2 * radius + 1):
            acc += window[t + k]
        smooth[i] = acc / float32(2 * radius + 1)


def smooth_trace(trace, radius):
    d_in = cuda.to_device(trace)
    d_out = cuda.device_array_like(d_in)
    moving_average[(trace.size + 255) // 256, 256](d_in, radius, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    print(smooth_trace(np.random.rand(8_000_000).astype(np.float32), 12)[:4])
