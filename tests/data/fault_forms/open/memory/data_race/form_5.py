import numpy as np
from numba import cuda


@cuda.jit
def nearest_site(px, py, qx, qy, best_d2, best_id):
    """Station nearest to the query point."""
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, px.shape[0], stride):
        dx = px[i] - qx
        dy = py[i] - qy
        d2 = dx * dx + dy * dy
        if d2 < best_d2[0]:  # fault: data_race
            best_d2[0] = d2  # fault: data_race
            best_id[0] = i


def locate(stations, query):
    px = cuda.to_device(np.ascontiguousarray(stations[:, 0], dtype=np.float64))
    py = cuda.to_device(np.ascontiguousarray(stations[:, 1], dtype=np.float64))
    best_d2 = cuda.to_device(np.array([np.inf]))
    best_id = cuda.to_device(np.array([-1], dtype=np.int64))
    nearest_site[2048, 256](px, py, query[0], query[1], best_d2, best_id)
    return int(best_id.copy_to_host()[0]), float(np.sqrt(best_d2.copy_to_host()[0]))


if __name__ == "__main__":
    xy = np.load("lidar_ground_points.npy")
    idx, dist = locate(xy, (4412.5, 880.25))
    print(f"point {idx} at {dist:.2f} m")
