"""Distance from each query to the closest landmark."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def nearest(queries, landmarks, dist):
    q = cuda.grid(1)
    if q < queries.shape[1]:
        best = 1e300
        for m in range(landmarks.shape[1]):
            dx = queries[0, q] - landmarks[0, m]
            dy = queries[1, q] - landmarks[1, m]
            best = min(best, dx * dx + dy * dy)
        dist[q] = best


def main():
    rng = np.random.default_rng(0)
    queries = rng.random((2, 5_000_000))
    landmarks = rng.random((2, 60_000))
    d_queries = cuda.to_device(queries)
    d_landmarks = cuda.to_device(landmarks)
    d_dist = cuda.device_array(queries.shape[1], dtype=np.float64)
    blocks = (landmarks.shape[1] + THREADS - 1) // THREADS
    nearest[blocks, THREADS](d_queries, d_landmarks, d_dist)  # fault: launch_shape_from_wrong_array
    np.save("distance.npy", np.sqrt(d_dist.copy_to_host()))


if __name__ == "__main__":
    main()
