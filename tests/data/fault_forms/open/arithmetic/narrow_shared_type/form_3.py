import cupy as cp
import numba
from numba import cuda

TILE = 16


@cuda.jit
def matmul_c128(a, b, c):
    """Complex double product, order a multiple of TILE."""
    sa = cuda.shared.array((TILE, TILE), numba.complex64)  # fault: narrow_shared_type
    sb = cuda.shared.array((TILE, TILE), numba.complex64)  # fault: narrow_shared_type
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    col, row = cuda.grid(2)
    acc = 0j
    for m in range(a.shape[1] // TILE):
        sa[ty, tx] = a[row, m * TILE + tx]
        sb[ty, tx] = b[m * TILE + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            acc += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[row, col] = acc


def compose(u, v):
    n = u.shape[0]
    assert u.shape == v.shape == (n, n) and n % TILE == 0
    w = cp.empty((n, n), dtype=cp.complex128)
    matmul_c128[(n // TILE, n // TILE), (TILE, TILE)](u, v, w)
    return w


n = 2048
u = cp.linalg.qr(cp.random.rand(n, n) + 0j)[0]
print(float(abs(compose(u, u.conj().T.copy()) - cp.eye(n)).max()))
