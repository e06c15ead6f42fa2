# near: needless_sync
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def demean(x, mean, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] - mean


def demean_pinned(x):
    stream = cuda.stream()
    result = cuda.pinned_array(x.size, dtype=np.float64)
    with cuda.pinned(x):
        d_x = cuda.to_device(x, stream=stream)
        d_out = cuda.device_array(x.size, dtype=np.float64, stream=stream)
        demean[(x.size + TPB - 1) // TPB, TPB, stream](d_x, x.mean(), d_out)
        d_out.copy_to_host(result, stream=stream)
        stream.synchronize()
    return result


if __name__ == "__main__":
    np.save("demeaned.npy", demean_pinned(np.random.default_rng(0).random(50_000_000)))
