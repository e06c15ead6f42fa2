import numpy as np
from numba import cuda


@cuda.jit
def first_crossing(v, threshold, dt, latency):
    """Time at which v[time, cell] first exceeds the threshold."""
    cell = cuda.grid(1)
    if cell >= v.shape[1]:
        return
    for t in range(v.shape[0]):
        if v[t, cell] > threshold:
            hit = t
            break
    latency[cell] = hit * dt  # fault: uninitialized_local


def latencies(v, threshold=-20.0, dt=0.025):
    d_v = cuda.to_device(np.ascontiguousarray(v, dtype=np.float64))
    d_lat = cuda.device_array(v.shape[1], dtype=np.float64)
    threads = 128
    first_crossing[(v.shape[1] + threads - 1) // threads, threads](d_v, threshold, dt, d_lat)
    return d_lat.copy_to_host()


if __name__ == "__main__":
    lat = latencies(np.load("membrane_potentials.npy"))
    np.savetxt("latencies.txt", lat)
