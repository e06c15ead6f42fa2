"""RMS contrast of image blocks, float32 throughout."""
import numpy as np
from numba import cuda

HALF = np.float32(0.5)
TWO = np.float32(2.0)


@cuda.jit
def local_contrast(img, mean, contrast):
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    h, w = img.shape
    if 1 <= x < w - 1 and 1 <= y < h - 1:
        m = mean[y, x]
        acc = np.float32(0.0)
        for j in range(-1, 2):
            for i in range(-1, 2):
                acc += (img[y + j, x + i] - m) ** TWO  # fault: pow_slow
        contrast[y, x] = acc ** HALF  # fault: pow_slow


def contrast_map(img, mean):
    d_img = cuda.to_device(img)
    d_mean = cuda.to_device(mean)
    d_out = cuda.to_device(np.zeros_like(img))
    grid = ((img.shape[1] + 31) // 32, (img.shape[0] + 7) // 8)
    local_contrast[grid, (32, 8)](d_img, d_mean, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    img = np.random.rand(4000, 6000).astype(np.float32)
    print(contrast_map(img, np.full_like(img, 0.5)).mean())
