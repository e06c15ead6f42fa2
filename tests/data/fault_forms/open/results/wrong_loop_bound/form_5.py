import numpy as np
from numba import cuda

n_points = 3_000_000
n_clusters = 96
points = np.random.rand(2, n_points)
centroids = np.random.rand(2, n_clusters)


@cuda.jit
def assign(points, centroids, labels):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < points.shape[1]:
        x = points[0, i]
        y = points[1, i]
        best = 0
        best_d = 1e300
        for c in range(cuda.blockDim.x):  # fault: wrong_loop_bound
            dx = x - centroids[0, c]
            dy = y - centroids[1, c]
            d = dx * dx + dy * dy
            if d < best_d:
                best_d = d
                best = c
        labels[i] = best


d_points = cuda.to_device(points)
d_centroids = cuda.to_device(centroids)
d_labels = cuda.device_array(n_points, dtype=np.int32)
threads = 64
assign[(n_points + threads - 1) // threads, threads](d_points, d_centroids, d_labels)
print(np.bincount(d_labels.copy_to_host(), minlength=n_clusters))
