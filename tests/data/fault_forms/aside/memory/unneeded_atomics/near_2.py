# near: unneeded_atomics
import numpy as np
from numba import cuda, float64

TPB = 128
SPLIT = 8


@cuda.jit
def column_blocks(a, out):
    """SPLIT blocks share each row and combine their partial sums."""
    s = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x // SPLIT
    part = cuda.blockIdx.x % SPLIT
    acc = 0.0
    for c in range(part * TPB + t, a.shape[1], TPB * SPLIT):
        acc += a[row, c]
    s[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, row, s[0])


def row_sums(a):
    a = np.ascontiguousarray(a, dtype=np.float64)
    d_out = cuda.to_device(np.zeros(a.shape[0]))
    column_blocks[a.shape[0] * SPLIT, TPB](cuda.to_device(a), d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    np.save("row_sums.npy", row_sums(np.load("wide_200_x_4M.npy")))
