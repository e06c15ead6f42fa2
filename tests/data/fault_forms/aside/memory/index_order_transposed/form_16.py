import numpy as np
from numba import cuda

TPB = 256
BANDS, ROWS, COLS = 60, 2000, 2000


@cuda.jit
def ndvi_like(cube, red, nir, index):
    """cube is (bands, rows, cols); a block walks down the rows of one column."""
    col = cuda.blockIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    if row < cube.shape[1]:
        a = cube[nir, row, col]  # fault: index_order_transposed
        b = cube[red, row, col]  # fault: index_order_transposed
        s = a + b
        if s > np.float32(0.0):
            index[row, col] = (a - b) / s  # fault: index_order_transposed
        else:
            index[row, col] = np.float32(0.0)


def vegetation_index(cube, red=29, nir=48):
    bands, rows, cols = cube.shape
    result = cuda.device_array((rows, cols), dtype=np.float32)
    ndvi_like[(cols, (rows + TPB - 1) // TPB), TPB](cube, red, nir, result)
    return result


def demo():
    scene = np.random.default_rng(0).random((BANDS, ROWS, COLS), dtype=np.float32)
    d_scene = cuda.to_device(scene)
    for red, nir in ((29, 48), (30, 50), (28, 45)):
        print(red, nir, vegetation_index(d_scene, red, nir).copy_to_host().mean())


if __name__ == "__main__":
    demo()
