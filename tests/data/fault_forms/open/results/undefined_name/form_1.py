import numpy as np
from numba import cuda


@cuda.jit
def threshold_mask(image, level, mask):
    x, y = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        mask[y, x] = 255 if image[y, x] > treshold else 0  # fault: undefined_name


def segment(image, level):
    d_image = cuda.to_device(image)
    d_mask = cuda.device_array(image.shape, dtype=np.uint8)
    threads = (32, 8)
    blocks = ((image.shape[1] + 31) // 32, (image.shape[0] + 7) // 8)
    threshold_mask[blocks, threads](d_image, level, d_mask)
    return d_mask.copy_to_host()


def main():
    image = np.random.randint(0, 65536, (5000, 5000)).astype(np.uint16)
    print(segment(image, 30000).sum() // 255)


if __name__ == "__main__":
    main()
