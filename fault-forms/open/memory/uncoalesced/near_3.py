
"""Row-wise softmax, one block of threads per row."""
import math

import numpy as np
from numba import cuda, float32

TPB = 128


@cuda.jit
def softmax_rows(logits, probs):
    buf = cuda.shared.array(TPB, float32)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    ncls = logits.shape[1]

    top = float32(-3.0e38)
    for c in range(t, ncls, TPB):
        top = max(top, logits[row, c])
    buf[t] = top
    cuda.syncthreads()
    s = TPB // 2
    while s > 0:
        if t < s:
            buf[t] = max(buf[t], buf[t + s])
        cuda.syncthreads()
        s //= 2
    top = buf[0]
    cuda.syncthreads()

    acc = float32(0.0)
    for c in range(t, ncls, TPB):
        e = math.exp(logits[row, c] - top)
        probs[row, c] = e
        acc += e
    buf[t] = acc
    cuda.syncthreads()
    s = TPB // 2
    while s > 0:
        if t < s:
            buf[t] += buf[t + s]
        cuda.syncthreads()
        s //= 2
    scale = float32(1.0) / buf[0]
    for c in range(t, ncls, TPB):
        probs[row, c] *= scale


def softmax(logits):
    d_in = cuda.to_device(logits)
    d_out = cuda.device_array_like(d_in)
    softmax_rows[logits.shape[0], TPB](d_in, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    z = np.random.default_rng(0).standard_normal((65536, 4000), dtype=np.float32)
    print(softmax(z).sum(axis=1)[:4])
