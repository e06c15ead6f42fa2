"""Sum reduction for the course on parallel programming, exercise 3."""
import numpy as np
from numba import cuda, float32

BLOCK_SIZE = 1024


@cuda.jit
def reduce_sum(data, result):
    scratch = cuda.shared.array(BLOCK_SIZE, dtype=float32)
    tid = cuda.threadIdx.x
    local = float32(0)
    i = tid
    while i < data.shape[0]:
        local += data[i]
        i += BLOCK_SIZE
    scratch[tid] = local
    cuda.syncthreads()

    offset = BLOCK_SIZE // 2
    while offset > 0:
        if tid < offset:
            scratch[tid] += scratch[tid + offset]
        cuda.syncthreads()
        offset //= 2

    if tid == 0:
        result[0] = scratch[0]


def gpu_sum(values):
    d_values = cuda.to_device(values)
    d_result = cuda.device_array(1, dtype=np.float32)
    reduce_sum[1, BLOCK_SIZE](d_values, d_result)
    return d_result.copy_to_host()[0]


if __name__ == "__main__":
    n = 64_000_000
    values = np.random.default_rng(1).random(n, dtype=np.float32)
    got, want = gpu_sum(values), values.sum(dtype=np.float64)
    print(got, want, abs(got - want) / want)
