# near: broken_code
import cupy as cp
from numba import cuda


@cuda.jit("void(float64[::1], float64[::1], float64, float64)")
def saxpy_clip(x, y, a, ceiling):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = min(a * x[i] + y[i], ceiling)


def accumulate_dose(dose, beam, weight, ceiling=80.0):
    threads = 256
    blocks = (dose.size + threads - 1) // threads
    saxpy_clip[blocks, threads](beam, dose, weight, ceiling)
    return dose


if __name__ == "__main__":
    voxels = 192 * 192 * 160
    dose = accumulate_dose(cp.zeros(voxels), cp.random.rand(voxels), 10.0)
    print(float(dose.max()))
