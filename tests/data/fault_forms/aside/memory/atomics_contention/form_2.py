"""Accumulate centroid sums for Lloyd's algorithm."""
import numpy as np
from numba import cuda, float64, int32, void


@cuda.jit(void(float64[:, ::1], int32[::1], float64[:, ::1], int32[::1]))
def accumulate(points, label, sums, counts):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= points.shape[1]:
        return
    c = label[i]
    for d in range(points.shape[0]):
        cuda.atomic.add(sums, (c, d), points[d, i])  # fault: atomics_contention
    cuda.atomic.add(counts, c, 1)  # fault: atomics_contention


class LloydUpdate:
    def __init__(self, points, k=6):
        self.k = k
        self.points = cuda.to_device(np.ascontiguousarray(points.T, dtype=np.float64))
        self.threads = 256
        self.blocks = (points.shape[0] + self.threads - 1) // self.threads

    def centroids(self, d_label):
        sums = cuda.to_device(np.zeros((self.k, self.points.shape[0])))
        counts = cuda.to_device(np.zeros(self.k, dtype=np.int32))
        accumulate[self.blocks, self.threads](self.points, d_label, sums, counts)
        return sums.copy_to_host() / np.maximum(counts.copy_to_host(), 1)[:, None]


if __name__ == "__main__":
    pixels = np.load("landsat_pixels_6bands.npy")
    labels = cuda.to_device(np.load("labels.npy").astype(np.int32))
    print(LloydUpdate(pixels).centroids(labels))
