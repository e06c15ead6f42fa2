import numpy as np
from numba import cuda, float32

ORDER = 4


@cuda.jit("void(float64[:, ::1], float64[:, ::1])")
def solve_small_systems(a, x):
    """Cholesky solve of many 4x4 systems in double precision; a: (20, n), lower triangle by rows then rhs."""
    s = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if s >= x.shape[1]:
        return
    y = cuda.local.array(ORDER, float32)  # fault: precision_loss
    for r in range(ORDER):
        acc = a[16 + r, s]
        for c in range(r):
            acc -= a[4 * r + c, s] * y[c]
        y[r] = acc / a[5 * r, s]
    for r in range(ORDER - 1, -1, -1):
        acc = y[r]
        for c in range(r + 1, ORDER):
            acc -= a[4 * c + r, s] * x[c, s]
        x[r, s] = acc / a[5 * r, s]


n_systems = 1_000_000
m = np.random.rand(n_systems, ORDER, ORDER)
spd = m @ m.transpose(0, 2, 1) + ORDER * np.eye(ORDER)
factor = np.linalg.cholesky(spd).reshape(n_systems, 16)
rhs = np.random.rand(n_systems, ORDER)
packed = np.ascontiguousarray(np.concatenate([factor, rhs], axis=1).T)
d_x = cuda.device_array((ORDER, n_systems), dtype=np.float64)
solve_small_systems[(n_systems + 127) // 128, 128](cuda.to_device(packed), d_x)
x = d_x.copy_to_host().T
print(abs((spd @ x[:, :, None])[:, :, 0] - rhs).max())
