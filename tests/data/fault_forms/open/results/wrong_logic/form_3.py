import numpy as np
from numba import cuda


@cuda.jit
def life_step(cells, nxt):
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    h, w = cells.shape
    if x >= w or y >= h:
        return
    left = x - 1 if x > 0 else w - 1
    right = x + 1 if x < w - 1 else 0
    up = y - 1 if y > 0 else h - 1
    down = y + 1 if y < h - 1 else 0
    n = (
        cells[up, left] + cells[up, x] + cells[up, right] + cells[y, left]
        + cells[y, right] + cells[down, left] + cells[down, x] + cells[down, right]
    )
    if cells[y, x] == 1:
        nxt[y, x] = 1 if n == 2 and n == 3 else 0  # fault: wrong_logic
    else:
        nxt[y, x] = 1 if n == 3 else 0


class Life:
    def __init__(self, board):
        self.now = cuda.to_device(board)
        self.then = cuda.device_array_like(self.now)
        h, w = board.shape
        self.blocks = ((w + 63) // 64, (h + 3) // 4)

    def advance(self, generations):
        for _ in range(generations):
            life_step[self.blocks, (64, 4)](self.now, self.then)
            self.now, self.then = self.then, self.now


if __name__ == "__main__":
    life = Life(np.random.randint(0, 2, (4096, 4096)).astype(np.uint8))
    life.advance(300)
    print(life.now.copy_to_host().sum())
