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


@cuda.jit
def label_counts(labels, counts):
    local = cuda.shared.array(4, np.int32)
    t = cuda.threadIdx.x
    if t < 4:
        local[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), labels.size, cuda.gridsize(1)):
        cuda.atomic.add(local, labels[i], 1)
    cuda.syncthreads()
    if t < 4:
        cuda.atomic.add(counts, t, local[t])


def segment(volume, block=(8, 8, 4)):
    d_vol = cuda.to_device(volume)
    d_lab = cuda.device_array(volume.shape, dtype=np.uint8)
    grid = tuple(-(-n // b) for n, b in zip(volume.shape, block))
    classify[grid, block](d_vol, d_lab)
    d_counts = cuda.to_device(np.zeros(4, dtype=np.int32))
    label_counts[1024, 256](d_lab.ravel(), d_counts)
    return d_lab.copy_to_host(), d_counts.copy_to_host()


if __name__ == "__main__":
    ct = np.random.default_rng(0).integers(-1000, 1500, (512, 512, 512)).astype(np.int16)
    print(segment(ct)[1])
