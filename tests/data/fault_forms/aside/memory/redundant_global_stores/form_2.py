import cupy as cp
from numba import cuda


@cuda.jit
def trapezoid(rate, dt, dose):
    """Accumulated dose per voxel from rate[time, voxel]."""
    v = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if v < rate.shape[1]:
        acc = 0.0
        last = rate[0, v]
        for t in range(1, rate.shape[0]):
            cur = rate[t, v]
            acc += 0.5 * dt * (last + cur)
            last = cur
            dose[v] = acc  # fault: redundant_global_stores


def total_dose(rate, dt):
    if rate.shape[0] < 2:
        raise ValueError("need at least two time points")
    dose = cp.empty(rate.shape[1], dtype=cp.float64)
    threads = 256
    trapezoid[(rate.shape[1] + threads - 1) // threads, threads](rate, dt, dose)
    return dose


if __name__ == "__main__":
    rate = cp.load("dose_rate_t120.npy").astype(cp.float64)
    rate = cp.ascontiguousarray(rate.reshape(rate.shape[0], -1))
    cp.save("dose.npy", total_dose(rate, 30.0))
