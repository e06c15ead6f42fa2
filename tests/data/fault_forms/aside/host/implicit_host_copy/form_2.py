import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def wave_step(prev, cur, nxt, c2):
    x, y = cuda.grid(2)
    if 0 < x < cur.shape[1] - 1 and 0 < y < cur.shape[0] - 1:
        lap = cur[y, x - 1] + cur[y, x + 1] + cur[y - 1, x] + cur[y + 1, x] - 4.0 * cur[y, x]
        nxt[y, x] = cur[y, x] + cur[y, x] - prev[y, x] + c2 * lap


class Membrane:
    def __init__(self, n):
        self.prev = np.zeros((n, n))
        self.cur = np.zeros((n, n))
        self.next = np.zeros((n, n))
        self.cur[n // 2, n // 2] = 1.0
        self.grid = (n + BLOCK[0] - 1) // BLOCK[0], (n + BLOCK[1] - 1) // BLOCK[1]

    def run(self, steps):
        for _ in range(steps):
            wave_step[self.grid, BLOCK](self.prev, self.cur, self.next, 0.25)  # fault: implicit_host_copy
            self.prev, self.cur, self.next = self.cur, self.next, self.prev
        return self.cur


if __name__ == "__main__":
    drum = Membrane(4096)
    print(np.abs(drum.run(1000)).max())
