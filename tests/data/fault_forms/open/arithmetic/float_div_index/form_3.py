import math

import numpy as np
from numba import cuda


@cuda.jit("void(float64[::1], float64[::1], int64, int64, int64)")
def mirror_z(volume, mirrored, nx, ny, nz):
    for i in range(cuda.grid(1), volume.size, cuda.gridsize(1)):
        z = math.floor(i / (nx * ny))  # fault: float_div_index
        rest = i - z * nx * ny
        mirrored[(nz - 1 - z) * nx * ny + rest] = volume[i]


nz, ny, nx = 320, 512, 512
volume = np.random.rand(nz, ny, nx)
d_volume = cuda.to_device(volume.ravel())
d_mirrored = cuda.device_array(volume.size, dtype=np.float64)
mirror_z[2048, 256](d_volume, d_mirrored, nx, ny, nz)
print(np.array_equal(d_mirrored.copy_to_host().reshape(volume.shape), volume[::-1]))
