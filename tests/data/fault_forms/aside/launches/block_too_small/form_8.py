import numpy as np
from numba import cuda


class HeatSolver:
    """Explicit heat equation on a plate."""

    BLOCKDIM = (4, 4)

    def __init__(self, plate, alpha=0.2):
        self.a = cuda.to_device(np.asarray(plate, dtype=np.float32))
        self.b = cuda.to_device(np.asarray(plate, dtype=np.float32))
        self.alpha = np.float32(alpha)

    def griddim(self):
        rows, cols = self.a.shape
        bx, by = self.BLOCKDIM
        return (cols + bx - 1) // bx, (rows + by - 1) // by

    def advance(self, steps):
        grid = self.griddim()
        for _ in range(steps):
            heat_step[grid, self.BLOCKDIM](self.a, self.b, self.alpha)  # fault: block_too_small
            self.a, self.b = self.b, self.a

    def temperature(self):
        return self.a.copy_to_host()


@cuda.jit
def heat_step(u, v, alpha):
    x, y = cuda.grid(2)
    if x > 0 and y > 0 and x < u.shape[1] - 1 and y < u.shape[0] - 1:
        c = u[y, x]
        v[y, x] = c + alpha * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] - np.float32(4.0) * c)


if __name__ == "__main__":
    plate = np.zeros((4096, 4096), dtype=np.float32)
    plate[0] = 100.0
    solver = HeatSolver(plate)
    solver.advance(300)
    print(solver.temperature()[:5, 2048])
