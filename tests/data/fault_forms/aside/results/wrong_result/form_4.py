import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def block_sums(values, sums):
    buf = cuda.shared.array(TPB, dtype=float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        acc += values[i]
    buf[t] = acc
    cuda.syncthreads()
    s = TPB // 2
    while s > 0:
        if t < s:
            buf[t] += buf[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = buf[0]


def mean_of(values):
    """Arithmetic mean of a large host array."""
    blocks = 512
    d_values = cuda.to_device(values)
    d_sums = cuda.device_array(blocks, dtype=np.float64)
    block_sums[blocks, TPB](d_values, d_sums)
    return d_sums.copy_to_host().mean()  # fault: wrong_result


if __name__ == "__main__":
    data = np.random.default_rng(1).normal(5.0, 1.0, 50_000_000)
    print("mean", mean_of(data))
