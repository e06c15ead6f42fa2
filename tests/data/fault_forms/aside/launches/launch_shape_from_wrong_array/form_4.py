"""Valid-mode smoothing and a downscaled preview of the same image."""
import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def halve(src, dst):
    x, y = cuda.grid(2)
    if x < dst.shape[1] and y < dst.shape[0]:
        dst[y, x] = 0.25 * (src[2 * y, 2 * x] + src[2 * y, 2 * x + 1]
                            + src[2 * y + 1, 2 * x] + src[2 * y + 1, 2 * x + 1])


@cuda.jit
def double(src, dst):
    x, y = cuda.grid(2)
    if x < dst.shape[1] and y < dst.shape[0]:
        dst[y, x] = src[y >> 1, x >> 1]


def tiles(shape):
    return (shape[1] + BLOCK[0] - 1) // BLOCK[0], (shape[0] + BLOCK[1] - 1) // BLOCK[1]


def blocky(image):
    h, w = image.shape
    small = cuda.device_array((h // 2, w // 2), dtype=np.float64)
    large = cuda.device_array((2 * small.shape[0], 2 * small.shape[1]), dtype=np.float64)
    halve[tiles(small.shape), BLOCK](cuda.to_device(image), small)
    double[tiles(small.shape), BLOCK](small, large)  # fault: launch_shape_from_wrong_array
    return large.copy_to_host()


if __name__ == "__main__":
    image = np.random.default_rng(4).random((4000, 6000))
    print(np.abs(blocky(image) - image).mean())
