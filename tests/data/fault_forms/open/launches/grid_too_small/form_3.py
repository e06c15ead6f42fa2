"""Escape times of the Mandelbrot set, a thread for each column of pixels."""
import numpy as np
from numba import cuda

HEIGHT, WIDTH, LIMIT = 4096, 4096, 500


@cuda.jit(device=True)
def escape(cr, ci, limit):
    zr = 0.0
    zi = 0.0
    for k in range(limit):
        rr = zr * zr
        ii = zi * zi
        if rr + ii > 4.0:
            return k
        zi = 2.0 * zr * zi + ci
        zr = rr - ii + cr
    return limit


@cuda.jit
def render_columns(image, x0, y0, pixel, limit):
    col = cuda.grid(1)
    if col < image.shape[1]:
        cr = x0 + col * pixel
        for row in range(image.shape[0]):
            image[row, col] = escape(cr, y0 + row * pixel, limit)


def render(x0, y0, size):
    image = cuda.device_array((HEIGHT, WIDTH), dtype=np.int32)
    threads = 256
    blocks = (WIDTH + threads - 1) // threads
    render_columns[blocks, threads](image, x0, y0, size / WIDTH, LIMIT)  # fault: grid_too_small
    return image.copy_to_host()


if __name__ == "__main__":
    picture = render(-2.2, -1.5, 3.0)
    print("inside:", np.count_nonzero(picture == LIMIT))
