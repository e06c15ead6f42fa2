import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def block_variance(x, mean, partial):
    s = cuda.shared.array(TPB, float64)
    tid = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        d = x[i] - mean
        acc += d * d
    s[tid] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if tid < half:
            s[tid] += s[tid + half]
        cuda.syncthreads()
        half //= 2
    partial[cuda.blockIdx.x] = s[0]  # fault: redundant_global_stores


def variance(samples):
    samples = np.ascontiguousarray(samples, dtype=np.float64)
    blocks = 1056
    d_x = cuda.to_device(samples)
    d_partial = cuda.device_array(blocks, dtype=np.float64)
    block_variance[blocks, TPB](d_x, samples.mean(), d_partial)
    return d_partial.copy_to_host().sum() / (samples.size - 1)


if __name__ == "__main__":
    returns = np.load("tick_returns.npy")
    print("volatility:", np.sqrt(variance(returns)))
