"""Lead field times source amplitudes, with a kernel chosen by name."""
import numpy as np
from numba import cuda


@cuda.jit
def scale_columns(mat, weights, out):
    c, r = cuda.grid(2)
    if r < mat.shape[0] and c < mat.shape[1]:
        out[r, c] = mat[r, c] * weights[c]


@cuda.jit
def soft_threshold(mat, lam, out):
    r, c = cuda.grid(2)
    if r < mat.shape[0] and c < mat.shape[1]:
        v = mat[r, c]
        if v > lam:
            out[r, c] = v - lam
        elif v < -lam:
            out[r, c] = v + lam
        else:
            out[r, c] = np.float32(0.0)


def configure(extent_x, extent_y, block=(32, 8)):
    return ((extent_x + block[0] - 1) // block[0], (extent_y + block[1] - 1) // block[1]), block


def shrink_weighted(coefs, weights, lam):
    rows, cols = coefs.shape
    d_coefs = cuda.to_device(coefs)
    d_weights = cuda.to_device(weights)
    d_tmp = cuda.device_array((rows, cols), dtype=np.float32)
    grid, block = configure(cols, rows)
    scale_columns[grid, block](d_coefs, d_weights, d_tmp)
    grid, block = configure(rows, cols)
    soft_threshold[grid, block](d_tmp, np.float32(lam), d_coefs)
    return d_coefs.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    w = shrink_weighted(rng.standard_normal((20484, 8000), dtype=np.float32),
                        rng.random(8000, dtype=np.float32), 0.4)
    print("sparsity", (w == 0).mean())
