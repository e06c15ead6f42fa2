import cupy as cp
from numba import cuda

# Patches cut from whole-slide images: (patch, row, column)
patches = cp.random.random((90_000, 48, 64), dtype=cp.float32)
background = cp.median(patches[:1000], axis=0)


@cuda.jit
def subtract_background(patches, background):
    x = cuda.threadIdx.x
    y = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    z = cuda.blockIdx.z
    if z < patches.shape[0] and y < patches.shape[1] and x < patches.shape[2]:
        patches[z, y, x] -= background[y, x]


block = (64, 4)
grid = (patches.shape[1] // block[1], 1, patches.shape[0])
subtract_background[grid, block](patches, background)  # fault: grid_axis_limit_exceeded
print(float(patches.mean()))
