import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def jacobi_sweep(x, x_next, b, omega):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x_next[i] = (1.0 - omega) * x[i] + omega * 0.5 * (x[i - 1] + x[i + 1] + b[i])


class PoissonLine:
    def __init__(self, b):
        self.b = cuda.to_device(b)
        self.x = cuda.to_device(np.zeros_like(b))
        self.tmp = cuda.to_device(np.zeros_like(b))
        self.solution = np.empty_like(b)
        self.blocks = (b.size + TPB - 1) // TPB

    def solve(self, sweeps, omega=0.9):
        for _ in range(sweeps):
            jacobi_sweep[self.blocks, TPB](self.x, self.tmp, self.b, omega)
            self.x, self.tmp = self.tmp, self.x
            self.x.copy_to_host(self.solution)  # fault: copy_in_loop
        return self.solution


if __name__ == "__main__":
    rhs = np.random.default_rng(1).normal(size=4_000_000)
    np.save("potential.npy", PoissonLine(rhs).solve(5000))
