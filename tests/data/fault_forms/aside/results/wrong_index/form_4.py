import numpy as np
from numba import cuda, float32

T = 16


@cuda.jit
def gram_tiled(a, b, c):
    """C = A @ B for square matrices whose order is a multiple of 16."""
    sa = cuda.shared.array((T, T), dtype=float32)
    sb = cuda.shared.array((T, T), dtype=float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    col = cuda.blockIdx.x * T + tx
    row = cuda.blockIdx.y * T + ty
    acc = float32(0.0)
    for m in range(a.shape[1] // T):
        sa[ty, tx] = a[row, m * T + tx]
        sb[ty, tx] = b[m * T + ty, col]
        cuda.syncthreads()
        for k in range(T):
            acc += sa[k, ty] * sb[k, tx]  # fault: wrong_index
        cuda.syncthreads()
    c[row, col] = acc


def multiply(a, b):
    n = a.shape[0]
    assert a.shape == b.shape == (n, n) and n % T == 0
    d_c = cuda.device_array((n, n), dtype=np.float32)
    gram_tiled[(n // T, n // T), (T, T)](cuda.to_device(a), cuda.to_device(b), d_c)
    return d_c.copy_to_host()


if __name__ == "__main__":
    n = 4096
    a = np.random.rand(n, n).astype(np.float32)
    b = np.random.rand(n, n).astype(np.float32)
    print(multiply(a, b)[0, 0], a[0] @ b[:, 0])
