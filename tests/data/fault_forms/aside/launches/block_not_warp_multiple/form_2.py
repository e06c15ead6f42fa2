import cupy as cp
from numba import cuda


@cuda.jit
def erode(img, out):
    x, y = cuda.grid(2)
    h, w = img.shape
    if x < w and y < h:
        low = img[y, x]
        for dy in range(-1, 2):
            yy = min(max(y + dy, 0), h - 1)
            for dx in range(-1, 2):
                xx = min(max(x + dx, 0), w - 1)
                low = min(low, img[yy, xx])
        out[y, x] = low


class Erosion:
    def __init__(self, shape, block=(25, 10)):
        self.block = block
        self.grid = tuple((n + b - 1) // b for n, b in zip(shape[::-1], block))
        self.buffer = cp.empty(shape, dtype=cp.uint8)

    def apply(self, img):
        erode[self.grid, self.block](img, self.buffer)  # fault: block_not_warp_multiple
        return self.buffer


if __name__ == "__main__":
    scan = cp.random.randint(0, 256, (8000, 10000), dtype=cp.uint8)
    print(int(Erosion(scan.shape).apply(scan).max()))
