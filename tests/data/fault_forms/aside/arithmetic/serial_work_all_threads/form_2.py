"""Residual check of an iterative solver on the device."""
import cupy as cp
from numba import cuda


@cuda.jit
def jacobi_sweep(x, b, x_new):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x_new[i] = 0.5 * (x[i - 1] + x[i + 1] + b[i])


@cuda.jit
def squared_change(x, x_new, change):
    i = cuda.grid(1)
    if i == 0:  # fault: serial_work_all_threads
        s = 0.0
        for k in range(x.size):  # fault: serial_work_all_threads
            d = x_new[k] - x[k]
            s += d * d
        change[0] = s


class JacobiSolver:
    def __init__(self, b):
        self.b = b
        self.x = cp.zeros_like(b)
        self.x_new = cp.zeros_like(b)
        self.change = cp.zeros(1)
        self.config = ((b.size + 255) // 256, 256)

    def solve(self, tol=1e-10, check_every=200, limit=20000):
        for it in range(limit):
            jacobi_sweep[self.config](self.x, self.b, self.x_new)
            if it % check_every == 0:
                squared_change[self.config](self.x, self.x_new, self.change)
                if float(self.change[0]) < tol:
                    break
            self.x, self.x_new = self.x_new, self.x
        return self.x


if __name__ == "__main__":
    print(float(JacobiSolver(cp.random.rand(4_000_000) * 1e-9).solve().max()))
