"""Box-filter scale space of an image."""
import numpy as np
from numba import cuda


@cuda.jit
def blur_x(src, dst, r):
    x = cuda.grid(1)
    y = cuda.blockIdx.y
    if x < src.shape[1]:
        acc = 0.0
        for d in range(-r, r + 1):
            acc += src[y, min(max(x + d, 0), src.shape[1] - 1)]
        dst[y, x] = acc / (2 * r + 1)


@cuda.jit
def blur_y(src, dst, r):
    x = cuda.grid(1)
    y = cuda.blockIdx.y
    if x < src.shape[1]:
        acc = 0.0
        for d in range(-r, r + 1):
            acc += src[min(max(y + d, 0), src.shape[0] - 1), x]
        dst[y, x] = acc / (2 * r + 1)


def scale_space(image, radii):
    h, w = image.shape
    grid, tpb = ((w + 255) // 256, h), 256
    d_image = cuda.to_device(image)
    levels = np.empty((len(radii), h, w))
    for level, r in zip(levels, radii):
        rows = cuda.device_array((h, w), dtype=np.float64)  # fault: allocation_in_loop
        both = cuda.device_array((h, w), dtype=np.float64)  # fault: allocation_in_loop
        blur_x[grid, tpb](d_image, rows, r)
        blur_y[grid, tpb](rows, both, r)
        both.copy_to_host(level)
    return levels


if __name__ == "__main__":
    np.save("levels.npy", scale_space(np.random.default_rng(5).random((3000, 4000)), range(1, 40)))
