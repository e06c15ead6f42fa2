import cupy as cp
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def gray_scott(u, v, un, vn, feed, kill):
    x, y = cuda.grid(2)
    h, w = u.shape
    if 0 < x < w - 1 and 0 < y < h - 1:
        a = u[y, x]
        b = v[y, x]
        r = a * b * b
        un[y, x] = a + 0.2 * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] - 4.0 * a) - r + feed * (1.0 - a)
        vn[y, x] = b + 0.1 * (v[y, x - 1] + v[y, x + 1] + v[y - 1, x] + v[y + 1, x] - 4.0 * b) + r - (feed + kill) * b


class GrayScott:
    def __init__(self, n):
        self.u = cp.ones((n, n))
        self.v = cp.zeros((n, n))
        self.v[n // 2 - 8:n // 2 + 8, n // 2 - 8:n // 2 + 8] = 0.5
        self.un, self.vn = self.u.copy(), self.v.copy()
        self.grid = (n + BLOCK[0] - 1) // BLOCK[0], (n + BLOCK[1] - 1) // BLOCK[1]

    def step(self, feed, kill):
        gray_scott[self.grid, BLOCK](self.u, self.v, self.un, self.vn, feed, kill)
        cp.cuda.Device().synchronize()  # fault: needless_sync
        self.u, self.un = self.un, self.u
        self.v, self.vn = self.vn, self.v


if __name__ == "__main__":
    model = GrayScott(1024)
    for _ in range(30_000):
        model.step(0.037, 0.06)
    cp.save("pattern.npy", model.v)
