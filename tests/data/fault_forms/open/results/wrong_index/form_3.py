"""Vertical temperature differences of a flattened ocean grid (z, y, x)."""
import cupy as cp
from numba import cuda


@cuda.jit("void(float64[::1], float64[::1], int64, int64, int64)")
def vertical_gradient(t, grad, nx, ny, nz):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i >= nx or j >= ny:
        return
    plane = nx * ny
    for k in range(nz - 1):
        here = k * plane + j * nx + i
        below = (k + 1) * plane + j * ny + i  # fault: wrong_index
        grad[here] = t[below] - t[here]


def stratification(temperature):
    nz, ny, nx = temperature.shape
    assert ny < nx
    grad = cp.zeros(temperature.size)
    threads = (64, 4)
    blocks = ((nx + 63) // 64, (ny + 3) // 4)
    vertical_gradient[blocks, threads](temperature.ravel(), grad, nx, ny, nz)
    return grad.reshape(nz, ny, nx)


if __name__ == "__main__":
    field = cp.random.rand(40, 900, 1440)
    print(float(stratification(field).mean()))
