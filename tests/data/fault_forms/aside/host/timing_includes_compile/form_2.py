import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def bilateral(img, out, radius, inv_s, inv_r):
    x, y = cuda.grid(2)
    h, w = img.shape
    if x < w and y < h:
        c = img[y, x]
        total = 0.0
        norm = 0.0
        for dy in range(-radius, radius + 1):
            for dx in range(-radius, radius + 1):
                v = img[min(max(y + dy, 0), h - 1), min(max(x + dx, 0), w - 1)]
                weight = 1.0 / (1.0 + inv_s * (dx * dx + dy * dy) + inv_r * (v - c) * (v - c))
                total += weight * v
                norm += weight
        out[y, x] = total / norm


class FilterBenchmark:
    def __init__(self, image):
        self.image = cuda.to_device(image)
        self.out = cuda.device_array_like(self.image)
        h, w = image.shape
        self.grid = (w + BLOCK[0] - 1) // BLOCK[0], (h + BLOCK[1] - 1) // BLOCK[1]

    def run(self, radius):
        begin, end = cuda.event(), cuda.event()
        begin.record()
        bilateral[self.grid, BLOCK](self.image, self.out, radius, 0.1, 4.0)  # fault: timing_includes_compile
        end.record()
        end.synchronize()
        return cuda.event_elapsed_time(begin, end)


if __name__ == "__main__":
    image = np.random.default_rng(1).random((4096, 4096))
    print("radius 3:", FilterBenchmark(image).run(3), "ms")
