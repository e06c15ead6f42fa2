import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def horizontal(src, dst):
    x, y = cuda.grid(2)
    if x < dst.shape[1] and y < dst.shape[0]:
        right = min(x + 1, src.shape[1] - 1)
        left = max(x - 1, 0)
        dst[y, x] = 0.25 * src[y, left] + 0.5 * src[y, x] + 0.25 * src[y, right]


@cuda.jit
def vertical(src, dst):
    x, y = cuda.grid(2)
    if x < dst.shape[1] and y < dst.shape[0]:
        below = min(y + 1, src.shape[0] - 1)
        above = max(y - 1, 0)
        dst[y, x] = 0.25 * src[above, x] + 0.5 * src[y, x] + 0.25 * src[below, x]


class Binomial:
    def __init__(self, shape):
        h, w = shape
        self.config = ((w + BLOCK[0] - 1) // BLOCK[0], (h + BLOCK[1] - 1) // BLOCK[1]), BLOCK
        self.a = cuda.device_array(shape, dtype=np.float64)
        self.b = cuda.device_array(shape, dtype=np.float64)

    def rows(self, image):
        self.a.copy_to_device(image)
        horizontal[self.config](self.a, self.b)
        return self.b.copy_to_host()  # fault: needless_host_copy

    def columns(self, image):
        self.a.copy_to_device(image)  # fault: needless_host_copy
        vertical[self.config](self.a, self.b)
        return self.b.copy_to_host()

    def blur(self, image):
        return self.columns(self.rows(image))


if __name__ == "__main__":
    image = np.random.default_rng(1).random((6000, 9000))
    np.save("blurred.npy", Binomial(image.shape).blur(image))
