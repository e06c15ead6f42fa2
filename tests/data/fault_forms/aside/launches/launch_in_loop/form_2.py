import math

import cupy as cp
from numba import cuda


@cuda.jit
def add_gaussian(canvas, cx, cy, weight, inv_two_s2):
    x, y = cuda.grid(2)
    if x < canvas.shape[1] and y < canvas.shape[0]:
        dx = x - cx
        dy = y - cy
        canvas[y, x] += weight * math.exp(-(dx * dx + dy * dy) * inv_two_s2)


class DensityMap:
    block = (32, 8)

    def __init__(self, height, width, sigma):
        self.canvas = cp.zeros((height, width))
        self.scale = 0.5 / (sigma * sigma)
        self.grid = -(-width // 32), -(-height // 8)

    def add(self, points):
        for cx, cy, weight in points:
            add_gaussian[self.grid, self.block](self.canvas, cx, cy, weight, self.scale)  # fault: launch_in_loop
        return self


if __name__ == "__main__":
    points = cp.asnumpy(cp.random.random((20_000, 3)) * cp.array([512.0, 512.0, 1.0])).tolist()
    density = DensityMap(512, 512, 6.0).add(points)
    cp.save("density.npy", density.canvas)
