import numpy as np
from numba import cuda


@cuda.jit
def subtract_dark(raw, dark, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = raw[y, x] - dark[y, x]


@cuda.jit
def divide_flat(frame, flat):
    x, y = cuda.grid(2)
    if y < frame.shape[0] and x < frame.shape[1]:
        frame[y, x] = frame[y, x] / flat[y, x]


@cuda.jit
def clip_negative(frame):
    x, y = cuda.grid(2)
    if y < frame.shape[0] and x < frame.shape[1]:
        frame[y, x] = max(frame[y, x], 0.0)


def calibrate(raw, dark, flat):
    h, w = raw.shape
    d_raw, d_dark, d_flat = (cuda.to_device(a) for a in (raw, dark, flat))
    d_out = cuda.device_array((h, w), dtype=np.float64)
    threads = (32, 8)
    blocks = ((w + 31) // 32, (h + 7) // 8)
    subtract_dark[blocks, threads](d_raw, d_dark, d_out)
    divide_flat[blocks, threads](d_out, d_flat)  # fault: unfused_passes
    clip_negative[blocks, threads](d_out)  # fault: unfused_passes
    return d_out.copy_to_host()


if __name__ == "__main__":
    shape = (6144, 6144)
    print(calibrate(np.random.rand(*shape), np.random.rand(*shape) * 0.1, np.random.rand(*shape) + 0.5).mean())
