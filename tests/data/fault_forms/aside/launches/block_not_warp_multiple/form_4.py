import numpy as np
from numba import cuda, float64, void

# 1000 threads is close to the limit of 1024 and divides the record length
record = np.random.default_rng(1).normal(size=48_000_000)


@cuda.jit(void(float64[::1], float64[::1], float64))
def pre_emphasis(x, y, a):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < x.size:
        if i == 0:
            y[i] = x[i]
        else:
            y[i] = x[i] - a * x[i - 1]


x = cuda.to_device(record)
y = cuda.device_array_like(x)
pre_emphasis[record.size // 1000, 1000](x, y, 0.97)  # fault: block_not_warp_multiple
np.save("emphasised.npy", y.copy_to_host())
