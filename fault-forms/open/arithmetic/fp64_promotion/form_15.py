"""Detector nonlinearity correction by a polynomial (Horner)."""
import numpy as np
from numba import cuda

POLY = np.array([1.2e-3, 0.9987, 3.1e-3, -2.7e-4, 1.9e-5, 4.4e-7])
DEGREE = len(POLY) - 1


@cuda.jit("void(float32[:, ::1], float32[:, ::1])")
def linearize(counts, out):
    coef = cuda.const.array_like(POLY)
    x, y = cuda.grid(2)
    if y >= counts.shape[0] or x >= counts.shape[1]:
        return
    v = counts[y, x]
    acc = coef[DEGREE]
    for k in range(DEGREE):
        acc = acc * v + coef[DEGREE - 1 - k]
    out[y, x] = acc


def correct(frames):
    shape = frames.shape
    d_in = cuda.to_device(frames.reshape(-1, shape[-1]))
    d_out = cuda.device_array(d_in.shape, dtype=np.float32)
    block = 64, 4
    grid = (d_in.shape[1] + 63) // 64, (d_in.shape[0] + 3) // 4
    linearize[grid, block](d_in, d_out)
    return d_out.copy_to_host().reshape(shape)


if __name__ == "__main__":
    exposure = np.random.default_rng(0).random((20, 2048, 2048), dtype=np.float32)
    print(correct(exposure).mean())
