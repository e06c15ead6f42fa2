import numpy as np
from numba import cuda

SHAPE = (3000, 5000)
BLOCK = (32, 16)
GRID = ((SHAPE[1] + BLOCK[0] - 1) // BLOCK[0], (SHAPE[0] + BLOCK[1] - 1) // BLOCK[1])


@cuda.jit
def composite(fg, bg, alpha, out):
    x, y = cuda.grid(2)
    if x < out.shape[1]:
        a = alpha[y, x]
        out[y, x] = a * fg[y, x] + (np.float32(1.0) - a) * bg[y, x]


@cuda.jit
def invert(alpha):
    x, y = cuda.grid(2)
    if x < alpha.shape[1] and y < alpha.shape[0]:
        alpha[y, x] = np.float32(1.0) - alpha[y, x]


rng = np.random.default_rng(1)
layers = [cuda.to_device(rng.random(SHAPE, dtype=np.float32)) for _ in range(3)]
result = cuda.device_array(SHAPE, dtype=np.float32)

invert[GRID, BLOCK](layers[2])
composite[GRID, BLOCK](*layers, result)
print(result.copy_to_host().mean())
