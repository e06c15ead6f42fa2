# near: unfused_passes
import numpy as np
from numba import cuda


@cuda.jit
def calibrate_kernel(raw, dark, flat, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = max((raw[y, x] - dark[y, x]) / flat[y, x], 0.0)


def calibrate(raw, dark, flat):
    h, w = raw.shape
    d_raw, d_dark, d_flat = (cuda.to_device(a) for a in (raw, dark, flat))
    d_out = cuda.device_array((h, w), dtype=np.float64)
    blocks = ((w + 31) // 32, (h + 7) // 8)
    calibrate_kernel[blocks, (32, 8)](d_raw, d_dark, d_flat, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    shape = (6144, 6144)
    print(calibrate(np.random.rand(*shape), np.random.rand(*shape) * 0.1, np.random.rand(*shape) + 0.5).mean())
