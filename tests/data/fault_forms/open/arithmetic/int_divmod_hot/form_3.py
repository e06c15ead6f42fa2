import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit("void(uint64[::1], int32[::1], int64, int64, int32)")
def walk_on_torus(seeds, visits, width, height, steps):
    w = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if w >= seeds.size:
        return
    state = seeds[w]
    x = width // 2
    y = height // 2
    returns = 0
    for _ in range(steps):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        x = (x + 1 - 2 * np.int64(state & np.uint64(1)) + width) % width  # fault: int_divmod_hot
        y = (y + 1 - 2 * np.int64((state >> np.uint64(1)) & np.uint64(1)) + height) % height  # fault: int_divmod_hot
        if x == width // 2 and y == height // 2:
            returns += 1
    visits[w] = returns


walkers = 1 << 20
seeds = cp.random.randint(1, 1 << 62, walkers).astype(cp.uint64)
visits = cp.empty(walkers, dtype=cp.int32)
walk_on_torus[walkers // 256, 256](seeds, visits, 1201, 907, 5000)
print(float(visits.mean()))
