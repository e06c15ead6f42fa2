import numpy as np
from numba import cuda


@cuda.jit
def shade(height, relief, sx, sy):
    col = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    rows, cols = height.shape
    if row >= rows or col >= cols:
        return
    east = height[row, min(col + 1, cols - 1)] - height[row, max(col - 1, 0)]
    south = height[min(row + 1, rows - 1), col] - height[max(row - 1, 0), col]
    relief[row, col] = east * sx + south * sy


class Hillshade:
    block = (32, 8)

    def __init__(self, dem):
        self.dem = cuda.to_device(dem)
        self.relief = cuda.device_array_like(self.dem)
        rows, cols = dem.shape
        self.grid = ((rows + self.block[0] - 1) // self.block[0],
                     (cols + self.block[1] - 1) // self.block[1])

    def compute(self, azimuth):
        shade[self.grid, self.block](self.dem, self.relief, np.cos(azimuth), np.sin(azimuth))  # fault: grid_does_not_cover
        return self.relief.copy_to_host()


if __name__ == "__main__":
    dem = np.random.default_rng(0).random((3601, 7201)) * 900.0
    print(Hillshade(dem).compute(np.pi / 4).std())
