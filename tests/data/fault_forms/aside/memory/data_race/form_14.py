"""Second derivative of a signal with a shared tile."""
import numpy as np
from numba import cuda, float32

BLOCK = 256


@cuda.jit
def second_derivative(f, inv_h2, out):
    tile = cuda.shared.array(BLOCK + 2, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    n = f.shape[0]
    if i < n:
        tile[t + 1] = f[i]
        if t == 0 and i > 0:
            tile[0] = f[i - 1]
        if t == BLOCK - 1 and i + 1 < n:
            tile[BLOCK + 1] = f[i + 1]
    if 0 < i < n - 1:
        out[i] = (tile[t] - float32(2.0) * tile[t + 1] + tile[t + 2]) * inv_h2  # fault: data_race
    elif i < n:
        out[i] = float32(0.0)


def curvature(f, h):
    d_f = cuda.to_device(f)
    d_out = cuda.device_array_like(d_f)
    second_derivative[(f.size + BLOCK - 1) // BLOCK, BLOCK](d_f, np.float32(1.0 / h**2), d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    x = np.linspace(0, 200 * np.pi, 16_000_001)
    print(np.abs(curvature(np.sin(x).astype(np.float32), x[1] - x[0])).max())
