import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def jacobi(u, v):
    x, y = cuda.grid(2)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        v[y, x] = 0.25 * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x])


class Plate:
    def __init__(self, n, hot):
        start = np.zeros((n, n))
        start[0, :] = hot
        self.a = cuda.to_device(start)
        self.b = cuda.to_device(start)
        self.grid = (n + BLOCK[0] - 1) // BLOCK[0], (n + BLOCK[1] - 1) // BLOCK[1]

    def advance(self, sweeps):
        for _ in range(sweeps):
            jacobi[self.grid, BLOCK](self.a, self.b)
            self.a, self.b = self.b, self.a

    def midline(self):
        """Temperatures along the middle row."""
        return self.a.copy_to_host()[self.a.shape[0] // 2]  # fault: oversized_transfer


if __name__ == "__main__":
    plate = Plate(8192, 100.0)
    profile = []
    for _ in range(100):
        plate.advance(50)
        profile.append(plate.midline())
    np.save("midline.npy", np.array(profile))
