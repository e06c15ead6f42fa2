import math

import numpy as np
from numba import cuda


@cuda.jit
def backproject(sinogram, cosines, sines, image):
    x, y = cuda.grid(2)
    n_det = sinogram.shape[1]
    h, w = image.shape
    if x < w and y < h:
        cx = x - 0.5 * w
        cy = y - 0.5 * h
        for a in range(sinogram.shape[0]):
            s = cx * cosines[a] + cy * sines[a] + 0.5 * n_det
            k = int(math.floor(s))
            if 0 <= k < n_det - 1:
                f = s - k
                v = (1.0 - f) * sinogram[a, k] + f * sinogram[a, k + 1]
                cuda.atomic.add(image, (y, x), v)  # fault: unneeded_atomics


def reconstruct(sinogram, size):
    angles = np.linspace(0.0, np.pi, sinogram.shape[0], endpoint=False)
    d_sino = cuda.to_device(np.ascontiguousarray(sinogram, dtype=np.float64))
    d_cos = cuda.to_device(np.cos(angles))
    d_sin = cuda.to_device(np.sin(angles))
    d_image = cuda.to_device(np.zeros((size, size)))
    block = (32, 8)
    grid = (math.ceil(size / 32), math.ceil(size / 8))
    backproject[grid, block](d_sino, d_cos, d_sin, d_image)
    return d_image.copy_to_host() * np.pi / sinogram.shape[0]


if __name__ == "__main__":
    np.save("slice.npy", reconstruct(np.load("filtered_sinogram.npy"), 2048))
