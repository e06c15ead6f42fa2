"""Total of a large array in two launches."""
import numpy as np
from numba import cuda, float64

TPB = 256
PARTIALS = 1024


@cuda.jit
def partial_sums(values, partials):
    buf = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        acc += values[i]
    buf[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half:
        if t < half:
            buf[t] += buf[t + half]
        cuda.syncthreads()
        half >>= 1
    if t == 0:
        partials[cuda.blockIdx.x] = buf[0]


@cuda.jit
def sum_partials(partials, total):
    lane = cuda.threadIdx.x
    acc = 0.0
    for k in range(lane, cuda.blockDim.x * 4, cuda.blockDim.x):  # fault: wrong_loop_bound
        acc += partials[k]
    cuda.atomic.add(total, 0, acc)


def total_of(values):
    d_values = cuda.to_device(values)
    d_partials = cuda.device_array(PARTIALS, dtype=np.float64)
    d_total = cuda.to_device(np.zeros(1))
    partial_sums[PARTIALS, TPB](d_values, d_partials)
    sum_partials[1, 32](d_partials, d_total)
    return d_total.copy_to_host()[0]


if __name__ == "__main__":
    print(total_of(np.random.rand(60_000_000)))
