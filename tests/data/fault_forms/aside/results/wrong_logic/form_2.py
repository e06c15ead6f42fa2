"""Escape-time fractal."""
import cupy as cp
from numba import cuda


@cuda.jit(device=True)
def escape_time(cr, ci, limit):
    zr = 0.0
    zi = 0.0
    n = 0
    while zr * zr + zi * zi > 4.0 and n < limit:  # fault: wrong_logic
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
        n += 1
    return n


@cuda.jit
def mandelbrot(image, xmin, ymin, dx, dy, limit):
    col, row = cuda.grid(2)
    if row < image.shape[0] and col < image.shape[1]:
        image[row, col] = escape_time(xmin + col * dx, ymin + row * dy, limit)


def render(width, height, limit=500):
    image = cp.empty((height, width), dtype=cp.int32)
    dx = 3.0 / width
    dy = 2.0 / height
    threads = (32, 4)
    blocks = ((width + 31) // 32, (height + 3) // 4)
    mandelbrot[blocks, threads](image, -2.2, -1.0, dx, dy, limit)
    return image


if __name__ == "__main__":
    print(int(render(7680, 5120).max()))
