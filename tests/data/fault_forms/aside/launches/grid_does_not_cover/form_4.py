"""Interleave RGB planes into packed pixels, one thread per component."""
import numpy as np
from numba import cuda, uint8, void


@cuda.jit(void(uint8[:, ::1], uint8[::1]))
def pack(planes, packed):
    k = cuda.grid(1)
    if k < packed.size:
        pixel = k // 3
        packed[k] = planes[k - 3 * pixel, pixel]


def pack_pixels(planes, threads=192):
    pixels = planes.shape[1]
    d_planes = cuda.to_device(planes)
    d_packed = cuda.device_array(3 * pixels, dtype=np.uint8)
    blocks = (pixels + threads - 1) // threads
    pack[blocks, threads](d_planes, d_packed)  # fault: grid_does_not_cover
    return d_packed.copy_to_host().reshape(pixels, 3)


if __name__ == "__main__":
    planes = np.random.default_rng(2).integers(0, 256, (3, 4000 * 6000), dtype=np.uint8)
    print(pack_pixels(planes)[:4])
