# near: serial_work_all_threads
import numpy as np
from numba import cuda, float64

THREADS = 256


@cuda.jit("void(float64[:, ::1], float64[:, ::1])")
def subtract_row_mean(data, centred):
    """One block per row."""
    buf = cuda.shared.array(THREADS, float64)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    s = 0.0
    for c in range(t, data.shape[1], THREADS):
        s += data[row, c]
    buf[t] = s
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            buf[t] += buf[t + half]
        cuda.syncthreads()
        half //= 2
    m = buf[0] / data.shape[1]
    for c in range(t, data.shape[1], THREADS):
        centred[row, c] = data[row, c] - m


rows, cols = 20_000, 4_096
data = np.random.rand(rows, cols)
d_data = cuda.to_device(data)
d_centred = cuda.device_array((rows, cols), dtype=np.float64)
subtract_row_mean[rows, THREADS](d_data, d_centred)
print(abs(d_centred.copy_to_host().mean(axis=1)).max())
