import numpy as np
from numba import cuda

# Linear resampling of a seismic trace onto a finer time axis
trace = np.random.default_rng(3).normal(size=4_000_000)
factor = 5
fine = cuda.device_array(trace.size * factor, dtype=np.float64)
coarse = cuda.to_device(trace)


@cuda.jit
def upsample(coarse, fine, step):
    i = cuda.grid(1)
    if i < fine.size:
        t = i * step
        k = min(int(t), coarse.size - 2)
        w = t - k
        fine[i] = (1.0 - w) * coarse[k] + w * coarse[k + 1]


threads_per_block = 256
blocks_per_grid = (coarse.size + threads_per_block - 1) // threads_per_block
upsample[blocks_per_grid, threads_per_block](coarse, fine, 1.0 / factor)  # fault: launch_shape_from_wrong_array
np.save("resampled.npy", fine.copy_to_host())
