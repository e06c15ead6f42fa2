"""Detector hits to pixel coordinates; hits outside the sensor get pixel -1."""
import numpy as np
from numba import cuda


@cuda.jit
def hits_to_pixels(x, x_min, pitch, n_pixels, pixel):
    i = cuda.grid(1)
    if i < x.size:
        p = int((x[i] - x_min) / pitch)  # fault: wrong_result
        if p >= 0 and p < n_pixels:
            pixel[i] = p
        else:
            pixel[i] = -1


def digitise(positions, x_min=-20.0, pitch=0.055, n_pixels=727):
    d_x = cuda.to_device(positions)
    d_pixel = cuda.device_array(positions.size, dtype=np.int32)
    threads = 256
    blocks = (positions.size + threads - 1) // threads
    hits_to_pixels[blocks, threads](d_x, x_min, pitch, n_pixels, d_pixel)
    return d_pixel.copy_to_host()


if __name__ == "__main__":
    hits = np.random.normal(0.0, 12.0, 20_000_000)
    pixels = digitise(hits)
    print(np.bincount(pixels[pixels >= 0], minlength=727)[:5])
