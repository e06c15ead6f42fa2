"""Escape-time fractal on an asynchronous stream, with a time for each zoom level."""
from time import perf_counter

import numpy as np
from numba import cuda, float64, int32, void

BLOCK = (32, 8)


@cuda.jit(void(int32[:, ::1], float64, float64, float64, int32))
def julia(image, x0, y0, pixel, limit):
    col, row = cuda.grid(2)
    if row < image.shape[0] and col < image.shape[1]:
        zr = x0 + col * pixel
        zi = y0 + row * pixel
        k = 0
        while k < limit and zr * zr + zi * zi < 4.0:
            zr, zi = zr * zr - zi * zi - 0.8, zr * zi + zr * zi + 0.156
            k += 1
        image[row, col] = k


def zoom(size, levels):
    stream = cuda.stream()
    image = cuda.device_array((size, size), dtype=np.int32, stream=stream)
    host = cuda.pinned_array((size, size), dtype=np.int32)
    grid = (size + BLOCK[0] - 1) // BLOCK[0], (size + BLOCK[1] - 1) // BLOCK[1]
    seconds = []
    for level in range(levels):
        width = 3.0 * 0.5 ** level
        stream.synchronize()
        t0 = perf_counter()
        julia[grid, BLOCK, stream](image, -0.5 * width, -0.5 * width, width / size, 1000)
        image.copy_to_host(host, stream=stream)
        seconds.append(perf_counter() - t0)  # fault: timing_without_sync
        stream.synchronize()
        np.save(f"julia_{level}.npy", host)
    return seconds


if __name__ == "__main__":
    zoom(4096, 1)
    print(zoom(4096, 8))
