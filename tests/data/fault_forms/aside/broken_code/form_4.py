import cupy as cp
from numba import cuda


@cuda.jit("void(float64[:], float64[:], float64)")  # fault: broken_code
def saxpy_clip(x, y, a, ceiling):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = min(a * x[i] + y[i], ceiling)


def accumulate_dose(dose, beams, weights, ceiling=80.0):
    threads = 256
    blocks = (dose.size + threads - 1) // threads
    for beam, weight in zip(beams, weights):
        saxpy_clip[blocks, threads](beam, dose, weight, ceiling)
    return dose


if __name__ == "__main__":
    voxels = 192 * 192 * 160
    beams = [cp.random.rand(voxels) for _ in range(5)]
    dose = accumulate_dose(cp.zeros(voxels), beams, [10.0, 12.5, 9.0, 11.0, 30.0])
    print(float(dose.max()))
