import numpy as np
from numba import cuda, float64

TPB = 512


@cuda.jit
def sum_blocks(x, partial):
    s = cuda.shared.array(TPB, float64)
    tid = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    s[tid] = acc
    cuda.syncthreads()
    stride = 1
    while stride < TPB:
        index = 2 * stride * tid
        if index < TPB:
            s[index] += s[index + stride]  # fault: bank_conflict
        cuda.syncthreads()
        stride *= 2
    if tid == 0:
        partial[cuda.blockIdx.x] = s[0]


class Reducer:
    def __init__(self, blocks=528):
        self.blocks = blocks
        self.partial = cuda.device_array(blocks, dtype=np.float64)

    def total(self, d_x):
        sum_blocks[self.blocks, TPB](d_x, self.partial)
        return self.partial.copy_to_host().sum()


if __name__ == "__main__":
    precipitation = np.load("era5_precip.npy").astype(np.float64).ravel()
    d_precip = cuda.to_device(precipitation)
    print("total:", Reducer().total(d_precip))
