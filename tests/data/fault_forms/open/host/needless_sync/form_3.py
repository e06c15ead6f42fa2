import numpy as np
from numba import cuda

# Inclusive scan by doubling
keys = np.random.default_rng(2).integers(0, 5, 8_000_000)
stream = cuda.stream()
a = cuda.to_device(keys, stream=stream)
b = cuda.device_array(keys.size, dtype=keys.dtype, stream=stream)


@cuda.jit
def doubling(src, dst, d):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < src.size:
        dst[i] = src[i] + src[i - d] if i >= d else src[i]


config = (keys.size + 255) // 256, 256, stream
d = 1
while d < keys.size:
    doubling[config](a, b, d)
    stream.synchronize()  # fault: needless_sync
    a, b = b, a
    d *= 2

total = a.copy_to_host(stream=stream)
stream.synchronize()
np.save("scan.npy", total)
