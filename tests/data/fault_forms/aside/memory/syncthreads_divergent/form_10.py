import math

import numpy as np
from numba import cuda, float32

BX, BY = 32, 8
NT = BX * BY


@cuda.jit(device=True)
def block_sum(value, buf):
    lane = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    buf[lane] = value
    cuda.syncthreads()
    s = NT // 2
    while s > 0:
        if lane < s:
            buf[lane] += buf[lane + s]
        cuda.syncthreads()
        s //= 2
    return buf[0]


@cuda.jit
def photometric_error(ref, warped, mask, total):
    buf = cuda.shared.array(NT, float32)
    buf[cuda.threadIdx.y * BX + cuda.threadIdx.x] = float32(0.0)
    x, y = cuda.grid(2)
    if x < ref.shape[1] and y < ref.shape[0] and mask[y, x]:
        d = ref[y, x] - warped[y, x]
        err = block_sum(d * d, buf)  # fault: syncthreads_divergent
        if cuda.threadIdx.x == 0 and cuda.threadIdx.y == 0:
            cuda.atomic.add(total, 0, err)


def alignment_cost(ref, warped, mask):
    rows, cols = ref.shape
    grid = (math.ceil(cols / BX), math.ceil(rows / BY))
    total = cuda.to_device(np.zeros(1, dtype=np.float32))
    photometric_error[grid, (BX, BY)](ref, warped, mask, total)
    return float(total.copy_to_host()[0])


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a = rng.random((3000, 4000), dtype=np.float32)
    valid = rng.random((3000, 4000)) < 0.9
    d_a, d_b, d_m = cuda.to_device(a), cuda.to_device(np.roll(a, 1, axis=1)), cuda.to_device(valid)
    print(alignment_cost(d_a, d_b, d_m))
