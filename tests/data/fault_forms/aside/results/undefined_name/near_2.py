# near: undefined_name
import numpy as np
from numba import cuda


def build_threshold(level):
    low = level * 0.9
    high = level * 1.1

    @cuda.jit
    def band_mask(image, mask):
        x, y = cuda.grid(2)
        if y < image.shape[0] and x < image.shape[1]:
            v = image[y, x]
            mask[y, x] = 1 if low <= v <= high else 0

    return band_mask


def main():
    image = np.random.rand(5000, 5000)
    d_image = cuda.to_device(image)
    d_mask = cuda.device_array(image.shape, dtype=np.uint8)
    blocks = ((image.shape[1] + 31) // 32, (image.shape[0] + 7) // 8)
    band_mask = build_threshold(0.5)
    band_mask[blocks, (32, 8)](d_image, d_mask)
    print(d_mask.copy_to_host().sum())


if __name__ == "__main__":
    main()
