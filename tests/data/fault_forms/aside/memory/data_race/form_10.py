"""Pairwise squared distances with shared tiles over the feature axis."""
import numpy as np
from numba import cuda, float32

T = 16


@cuda.jit
def sqdist(a, b, out):
    """a: (n, d), b: (d, m)."""
    ta = cuda.shared.array((T, T), float32)
    tb = cuda.shared.array((T, T), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    col = cuda.blockIdx.x * T + tx
    row = cuda.blockIdx.y * T + ty
    acc = float32(0.0)
    for f in range(0, a.shape[1], T):
        if row < a.shape[0] and f + tx < a.shape[1]:
            ta[ty, tx] = a[row, f + tx]  # fault: data_race
        else:
            ta[ty, tx] = float32(0.0)
        if col < b.shape[1] and f + ty < b.shape[0]:
            tb[ty, tx] = b[f + ty, col]  # fault: data_race
        else:
            tb[ty, tx] = float32(0.0)
        cuda.syncthreads()
        for k in range(T):
            d = ta[ty, k] - tb[k, tx]  # fault: data_race
            acc += d * d
    if row < out.shape[0] and col < out.shape[1]:
        out[row, col] = acc


def pairwise(a, b):
    d_a = cuda.to_device(a)
    d_b = cuda.to_device(np.ascontiguousarray(b.T))
    out = cuda.device_array((a.shape[0], b.shape[0]), dtype=np.float32)
    grid = ((b.shape[0] + T - 1) // T, (a.shape[0] + T - 1) // T)
    sqdist[grid, (T, T)](d_a, d_b, out)
    return out.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    u = rng.random((5000, 300), dtype=np.float32)
    v = rng.random((7000, 300), dtype=np.float32)
    print(pairwise(u, v).min())
