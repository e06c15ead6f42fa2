import numpy as np
from numba import cuda, float64

BLOCK = 256
RADIUS = 4
SPAN = BLOCK + 2 * RADIUS


@cuda.jit
def smooth_trace(trace, weights, out):
    tile = cuda.shared.array(SPAN, float64)
    i = cuda.grid(1)
    tx = cuda.threadIdx.x
    n = trace.shape[0]
    if i < n:
        tile[tx + RADIUS] = trace[i]
    else:
        tile[tx + RADIUS] = 0.0
    if tx < RADIUS:
        if i >= RADIUS:
            tile[tx] = trace[i - RADIUS]
        else:
            tile[tx] = 0.0
        tile[tx + BLOCK + RADIUS] = trace[i + BLOCK]  # fault: missing_bounds_check
    cuda.syncthreads()
    if i < n:
        acc = 0.0
        for k in range(2 * RADIUS + 1):
            acc += weights[k] * tile[tx + k]
        out[i] = acc


samples = np.load("seismogram.npy").astype(np.float64)
kernel = np.exp(-0.5 * (np.arange(-RADIUS, RADIUS + 1) / 1.5) ** 2)
kernel /= kernel.sum()

d_trace = cuda.to_device(samples)
d_kernel = cuda.to_device(kernel)
d_out = cuda.device_array_like(d_trace)
smooth_trace[(samples.size + BLOCK - 1) // BLOCK, BLOCK](d_trace, d_kernel, d_out)
np.save("seismogram_smooth.npy", d_out.copy_to_host())
