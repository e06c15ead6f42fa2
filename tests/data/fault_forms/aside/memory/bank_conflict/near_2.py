# near: bank_conflict
import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def rms_blocks(x, partial):
    s = cuda.shared.array(TPB, float64)
    tid = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i] * x[i]
    s[tid] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if tid < half:
            s[tid] += s[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        partial[cuda.blockIdx.x] = s[0]


def rms(signal, blocks=1056):
    d_x = cuda.to_device(np.ascontiguousarray(signal, dtype=np.float64))
    d_partial = cuda.device_array(blocks, dtype=np.float64)
    rms_blocks[blocks, TPB](d_x, d_partial)
    return np.sqrt(d_partial.copy_to_host().sum() / signal.size)


if __name__ == "__main__":
    print("RMS:", rms(np.load("accelerometer.npy")))
