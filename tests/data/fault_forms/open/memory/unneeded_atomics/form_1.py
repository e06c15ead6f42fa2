import numpy as np
from numba import cuda


@cuda.jit
def add_scaled(y, x, a):
    i = cuda.grid(1)
    if i < y.size:
        cuda.atomic.add(y, i, a * x[i])  # fault: unneeded_atomics


class ConjugateGradientState:
    """Vectors of a CG iteration kept on the device."""

    threads = 256

    def __init__(self, x0, r0):
        self.x = cuda.to_device(np.ascontiguousarray(x0, dtype=np.float64))
        self.r = cuda.to_device(np.ascontiguousarray(r0, dtype=np.float64))
        self.blocks = (x0.size + self.threads - 1) // self.threads

    def update(self, d_p, d_ap, alpha):
        add_scaled[self.blocks, self.threads](self.x, d_p, alpha)
        add_scaled[self.blocks, self.threads](self.r, d_ap, -alpha)

    def solution(self):
        return self.x.copy_to_host()


if __name__ == "__main__":
    data = np.load("cg_restart.npz")
    state = ConjugateGradientState(data["x"], data["r"])
    state.update(cuda.to_device(data["p"]), cuda.to_device(data["ap"]), float(data["alpha"]))
    np.save("x_next.npy", state.solution())
