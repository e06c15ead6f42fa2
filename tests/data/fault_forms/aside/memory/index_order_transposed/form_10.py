"""Threshold a CT volume and map it to Hounsfield classes."""
import numpy as np
from numba import cuda

EDGES = (-900, -200, 150)


@cuda.jit(device=True)
def tissue(hu):
    if hu < EDGES[0]:
        return 0
    if hu < EDGES[1]:
        return 1
    if hu < EDGES[2]:
        return 2
    return 3


@cuda.jit
def classify(volume, labels):
    z, y, x = cuda.grid(3)
    if z < volume.shape[0] and y < volume.shape[1] and x < volume.shape[2]:
        labels[z, y, x] = tissue(volume[z, y, x])  # fault: index_order_transposed


def segment(volume, block=(8, 8, 4)):
    d_vol = cuda.to_device(volume)
    d_lab = cuda.device_array(volume.shape, dtype=np.uint8)
    grid = tuple(-(-n // b) for n, b in zip(volume.shape, block))
    classify[grid, block](d_vol, d_lab)
    return d_lab.copy_to_host()


if __name__ == "__main__":
    ct = np.random.default_rng(0).integers(-1000, 1500, (512, 512, 512)).astype(np.int16)
    print(np.bincount(segment(ct).ravel()) / ct.size)
