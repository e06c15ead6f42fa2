import numpy as np
from numba import cuda


class WaveEquation2D:
    """Second-order scheme for u_tt = c^2 lap(u), arrays indexed [ix, iy]."""

    threads = (32, 8)

    def __init__(self, nx, ny, courant=0.5):
        self.shape = (nx, ny)
        self.k = np.float32(courant**2)
        start = np.zeros(self.shape, dtype=np.float32)
        start[nx // 2, ny // 2] = 1.0
        self.prev = cuda.to_device(start)
        self.cur = cuda.to_device(start)
        self.next = cuda.to_device(np.zeros_like(start))
        self.blocks = tuple((s + t - 1) // t for s, t in zip(self.shape, self.threads))

    def run(self, steps):
        for _ in range(steps):
            wave_step[self.blocks, self.threads](self.prev, self.cur, self.next, self.k)
            self.prev, self.cur, self.next = self.cur, self.next, self.prev

    def field(self):
        return self.cur.copy_to_host()


@cuda.jit
def wave_step(prev, cur, nxt, k):
    ix = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    iy = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if 0 < ix < cur.shape[0] - 1 and 0 < iy < cur.shape[1] - 1:
        c = cur[ix, iy]  # fault: index_order_transposed
        around = cur[ix - 1, iy] + cur[ix + 1, iy] + cur[ix, iy - 1] + cur[ix, iy + 1]  # fault: index_order_transposed
        nxt[ix, iy] = np.float32(2.0) * c - prev[ix, iy] + k * (around - np.float32(4.0) * c)  # fault: index_order_transposed


if __name__ == "__main__":
    sim = WaveEquation2D(8192, 8192)
    sim.run(200)
    print(np.abs(sim.field()).max())
