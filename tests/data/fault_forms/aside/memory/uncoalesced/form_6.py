import numpy as np
from numba import cuda, float64, int32, int64, void


@cuda.jit(void(float64[::1], float64[::1], int64, int64, int64, int32[::1], float64[::1]))
def assign_labels(points, centroids, n_points, n_dims, k, labels, dist):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= n_points:
        return
    best = 1.0e300
    label = 0
    for c in range(k):
        d2 = 0.0
        for d in range(n_dims):
            diff = points[i * n_dims + d] - centroids[c * n_dims + d]  # fault: uncoalesced
            d2 += diff * diff
        if d2 < best:
            best = d2
            label = c
    labels[i] = label
    dist[i] = best


def predict(X, centroids):
    n, dims = X.shape
    d_points = cuda.to_device(np.ascontiguousarray(X, dtype=np.float64).ravel())
    d_cent = cuda.to_device(np.ascontiguousarray(centroids, dtype=np.float64).ravel())
    d_labels = cuda.device_array(n, dtype=np.int32)
    d_dist = cuda.device_array(n, dtype=np.float64)
    assign_labels[(n + 127) // 128, 128](d_points, d_cent, n, dims, centroids.shape[0], d_labels, d_dist)
    return d_labels.copy_to_host(), d_dist.copy_to_host()


features = np.load("embeddings_1M_x_48.npy")
codebook = np.load("codebook.npy")
labels, inertia = predict(features, codebook)
np.savez("assignment.npz", labels=labels, inertia=inertia)
