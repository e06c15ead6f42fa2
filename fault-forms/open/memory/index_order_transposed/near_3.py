
"""Wave equation, arrays indexed [iy, ix], x along the threads of a warp."""
import numpy as np
from numba import cuda

THREADS = (32, 8)


@cuda.jit
def wave_step(prev, cur, nxt, k):
    ix, iy = cuda.grid(2)
    if 0 < iy < cur.shape[0] - 1 and 0 < ix < cur.shape[1] - 1:
        c = cur[iy, ix]
        lap = cur[iy, ix - 1] + cur[iy, ix + 1] + cur[iy - 1, ix] + cur[iy + 1, ix] - np.float32(4.0) * c
        nxt[iy, ix] = np.float32(2.0) * c - prev[iy, ix] + k * lap


def simulate(ny, nx, steps, courant=0.5):
    start = np.zeros((ny, nx), dtype=np.float32)
    start[ny // 2, nx // 2] = 1.0
    prev, cur = cuda.to_device(start), cuda.to_device(start)
    nxt = cuda.to_device(np.zeros_like(start))
    blocks = ((nx + THREADS[0] - 1) // THREADS[0], (ny + THREADS[1] - 1) // THREADS[1])
    k = np.float32(courant**2)
    for _ in range(steps):
        wave_step[blocks, THREADS](prev, cur, nxt, k)
        prev, cur, nxt = cur, nxt, prev
    return cur.copy_to_host()


if __name__ == "__main__":
    print(np.abs(simulate(6000, 9000, 200)).max())
