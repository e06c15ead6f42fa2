import numpy as np
from numba import cuda, float32

TPB = 256


@cuda.jit
def sum_squares(residual, partial):
    buf = cuda.shared.array(TPB, float32)  # fault: narrow_shared_type
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), residual.size, cuda.gridsize(1)):
        acc += residual[i] * residual[i]
    buf[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            buf[t] += buf[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = buf[0]


def residual_norm(residual):
    """Euclidean norm of a float64 vector."""
    blocks = 640
    d_residual = cuda.to_device(np.asarray(residual, dtype=np.float64))
    d_partial = cuda.device_array(blocks, dtype=np.float64)
    sum_squares[blocks, TPB](d_residual, d_partial)
    return np.sqrt(d_partial.copy_to_host().sum())


if __name__ == "__main__":
    print(residual_norm(np.random.normal(size=40_000_000)))
