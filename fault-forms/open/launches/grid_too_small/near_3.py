
"""Grid-stride vector operations sized to the device."""
import numpy as np
from numba import cuda

THREADS = 256


def full_grid(n):
    sms = cuda.get_current_device().MULTIPROCESSOR_COUNT
    return min((n + THREADS - 1) // THREADS, 32 * sms)


@cuda.jit
def fused_update(x, m, lr, beta, g):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mi = beta * m[i] + g[i]
        m[i] = mi
        x[i] -= lr * mi


class Momentum:
    def __init__(self, params, lr=0.01, beta=0.9):
        self.params = params
        self.buf = cuda.to_device(np.zeros(params.size, dtype=np.float32))
        self.lr = np.float32(lr)
        self.beta = np.float32(beta)

    def step(self, grad):
        fused_update[full_grid(self.params.size), THREADS](self.params, self.buf, self.lr, self.beta, grad)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    p = cuda.to_device(rng.standard_normal(30_000_000, dtype=np.float32))
    g = cuda.to_device(rng.standard_normal(30_000_000, dtype=np.float32))
    opt = Momentum(p)
    for _ in range(10):
        opt.step(g)
    print(p.copy_to_host()[:4])
