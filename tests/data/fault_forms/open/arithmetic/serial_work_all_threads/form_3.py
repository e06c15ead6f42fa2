import numpy as np
from numba import cuda, float64

THREADS = 256


@cuda.jit("void(float64[:, ::1], float64[:, ::1])")
def subtract_row_mean(data, centred):
    """One block per row."""
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    mean = cuda.shared.array(1, float64)
    if t == 0:
        s = 0.0
        for c in range(data.shape[1]):  # fault: serial_work_all_threads
            s += data[row, c]
        mean[0] = s / data.shape[1]
    cuda.syncthreads()
    m = mean[0]
    for c in range(t, data.shape[1], THREADS):
        centred[row, c] = data[row, c] - m


rows, cols = 20_000, 4_096
data = np.random.rand(rows, cols)
d_data = cuda.to_device(data)
d_centred = cuda.device_array((rows, cols), dtype=np.float64)
subtract_row_mean[rows, THREADS](d_data, d_centred)
print(abs(d_centred.copy_to_host().mean(axis=1)).max())
