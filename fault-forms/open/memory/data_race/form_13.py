"""Selects the lidar returns inside a box and writes them densely."""
import numpy as np
from numba import cuda

BOUNDS = (-10.0, 10.0)


@cuda.jit
def crop(x, y, z, lo, hi, kept, counter):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= x.size:
        return
    if lo < x[i] < hi and lo < y[i] < hi and lo < z[i] < hi:
        slot = counter[0]
        counter[0] = slot + 1
        kept[slot] = i


def crop_points(points, bounds=BOUNDS):
    columns = [cuda.to_device(np.ascontiguousarray(points[:, c])) for c in range(3)]
    n = points.shape[0]
    kept = cuda.device_array(n, dtype=np.int32)
    counter = cuda.to_device(np.zeros(1, dtype=np.int32))
    lo, hi = np.float32(bounds[0]), np.float32(bounds[1])
    crop[(n + 511) // 512, 512](*columns, lo, hi, kept, counter)
    m = int(counter.copy_to_host()[0])
    return points[np.sort(kept[:m].copy_to_host())]


if __name__ == "__main__":
    cloud = np.random.default_rng(0).normal(0, 12, (10_000_000, 3)).astype(np.float32)
    inside = crop_points(cloud)
    print(len(inside), "of", len(cloud))
