import numpy as np
from numba import cuda

# Cosine-free nearest centre search: each thread handles a long chunk of points
CHUNK = 16_384
points = np.random.default_rng(9).random((2, 8_000_000))
centres = np.random.default_rng(10).random((2, 48))


@cuda.jit
def assign(points, centres, label):
    worker = cuda.grid(1)
    workers = cuda.gridsize(1)
    for p in range(worker, points.shape[1], workers):
        x = points[0, p]
        y = points[1, p]
        best = 1e300
        arg = 0
        for c in range(centres.shape[1]):
            dx = x - centres[0, c]
            dy = y - centres[1, c]
            d = dx * dx + dy * dy
            if d < best:
                best = d
                arg = c
        label[p] = arg


d_points = cuda.to_device(points)
d_centres = cuda.to_device(centres)
d_label = cuda.device_array(points.shape[1], dtype=np.int32)
threads = 128
workers = (points.shape[1] + CHUNK - 1) // CHUNK
blocks = (workers + threads - 1) // threads
assign[blocks, threads](d_points, d_centres, d_label)  # fault: grid_too_small
np.save("labels.npy", d_label.copy_to_host())
