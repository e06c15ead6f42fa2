# near: grid_too_small
"""Maximum of a long signal in two passes; the second has only the block results to fold."""
import numpy as np
from numba import cuda, float32

TPB = 512


@cuda.jit
def block_max(x, out):
    s = cuda.shared.array(TPB, float32)
    t = cuda.threadIdx.x
    m = float32(-3.4e38)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        m = max(m, x[i])
    s[t] = m
    cuda.syncthreads()
    k = TPB // 2
    while k > 0:
        if t < k:
            s[t] = max(s[t], s[t + k])
        cuda.syncthreads()
        k //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def device_max(d_x):
    n_blocks = 1024
    partial = cuda.device_array(n_blocks, dtype=np.float32)
    result = cuda.device_array(1, dtype=np.float32)
    block_max[n_blocks, TPB](d_x, partial)
    block_max[1, TPB](partial, result)
    return result.copy_to_host()[0]


if __name__ == "__main__":
    data = np.random.default_rng(0).standard_normal(80_000_000, dtype=np.float32)
    print(device_max(cuda.to_device(data)), data.max())
