"""Block-wise energy of a signal with a final sum on the host."""
import math

import numpy as np
from numba import cuda, float32

TPB = 256


@cuda.jit
def block_energy(signal, partial):
    acc = cuda.shared.array(TPB, dtype=float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i >= signal.shape[0]:
        return
    acc[t] = signal[i] * signal[i]
    cuda.syncthreads()
    s = TPB // 2
    while s > 0:
        if t < s and i + s < signal.shape[0]:
            acc[t] += acc[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = acc[0]


def energy(signal):
    d_signal = cuda.to_device(signal)
    blocks = math.ceil(signal.size / TPB)
    d_partial = cuda.device_array(blocks, dtype=np.float32)
    block_energy[blocks, TPB](d_signal, d_partial)
    return d_partial.copy_to_host().sum(dtype=np.float64)


if __name__ == "__main__":
    x = np.random.default_rng(0).standard_normal(30_000_001, dtype=np.float32)
    print(energy(x), np.dot(x, x))
