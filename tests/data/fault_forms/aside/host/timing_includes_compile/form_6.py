"""Mean step time of a cellular automaton, over all generations."""
import time

import numpy as np
from numba import cuda, uint8

BLOCK = (32, 8)


@cuda.jit
def life(cells, out):
    x, y = cuda.grid(2)
    h, w = cells.shape
    if x < w and y < h:
        left, right = (x - 1 if x > 0 else w - 1), (x + 1 if x < w - 1 else 0)
        up, down = (y - 1 if y > 0 else h - 1), (y + 1 if y < h - 1 else 0)
        n = (cells[up, left] + cells[up, x] + cells[up, right] + cells[y, left]
             + cells[y, right] + cells[down, left] + cells[down, x] + cells[down, right])
        alive = n == 3 or (n == 2 and cells[y, x] == 1)
        out[y, x] = uint8(1) if alive else uint8(0)


def play(board, generations):
    h, w = board.shape
    grid = (w + BLOCK[0] - 1) // BLOCK[0], (h + BLOCK[1] - 1) // BLOCK[1]
    a = cuda.to_device(board)
    b = cuda.device_array_like(a)
    cuda.synchronize()
    tic = time.perf_counter()
    for _ in range(generations):
        life[grid, BLOCK](a, b)  # fault: timing_includes_compile
        a, b = b, a
    cuda.synchronize()
    toc = time.perf_counter()
    print(f"{1e6 * (toc - tic) / generations:.1f} us per generation")
    return a.copy_to_host()


if __name__ == "__main__":
    soup = np.random.default_rng(5).integers(0, 2, (4096, 4096), dtype=np.uint8)
    np.save("life.npy", play(soup, 20))
