import numpy as np
from numba import cuda


@cuda.jit
def grey_histogram(image, hist):
    x, y = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        hist[image[y, x]] += 1  # fault: data_race


def equalise(image):
    image = np.ascontiguousarray(image, dtype=np.uint8)
    d_image = cuda.to_device(image)
    d_hist = cuda.to_device(np.zeros(256, dtype=np.int32))
    block = (32, 8)
    grid = ((image.shape[1] + block[0] - 1) // block[0],
            (image.shape[0] + block[1] - 1) // block[1])
    grey_histogram[grid, block](d_image, d_hist)
    cdf = np.cumsum(d_hist.copy_to_host())
    lut = np.round(255.0 * (cdf - cdf[0]) / (cdf[-1] - cdf[0])).astype(np.uint8)
    return lut[image]


if __name__ == "__main__":
    scan = np.load("microscopy_scan.npy")
    np.save("microscopy_equalised.npy", equalise(scan))
