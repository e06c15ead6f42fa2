import numpy as np
from numba import cuda


@cuda.jit
def binarise(img, level, out):
    y, x = cuda.blockIdx.y, cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if y < img.shape[0] and x < img.shape[1]:
        out[y, x] = 255 if img[y, x] > level else 0


class Binariser:
    def __init__(self, level):
        self.level = level

    def __call__(self, img):
        rows, cols = img.shape
        d_img = cuda.to_device(img)
        d_out = cuda.device_array((rows, cols), dtype=np.uint8)
        binarise[(cols, rows), 128](d_img, self.level, d_out)  # fault: oversubscribed_grid
        return d_out.copy_to_host()


if __name__ == "__main__":
    page = np.random.default_rng(1).integers(0, 256, (7016, 4960), dtype=np.uint8)
    print(Binariser(180)(page).mean())
