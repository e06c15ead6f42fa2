# near: syncthreads_divergent
import cupy as cp
from numba import cuda, float64

BLOCK = 256


@cuda.jit
def kernel_density(samples, grid_x, density, inv_h2):
    tile = cuda.shared.array(BLOCK, float64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    n = samples.size
    x = 0.0
    if i < grid_x.size:
        x = grid_x[i]
    acc = 0.0
    for start in range(0, n, BLOCK):
        if start + t < n:
            tile[t] = samples[start + t]
        cuda.syncthreads()
        for k in range(min(BLOCK, n - start)):
            u2 = (x - tile[k]) * (x - tile[k]) * inv_h2
            if u2 < 1.0:
                acc += 1.0 - u2
        cuda.syncthreads()
    if i < grid_x.size:
        density[i] = 0.75 * acc


def epanechnikov(samples, grid_x, h):
    density = cp.empty_like(grid_x)
    kernel_density[(grid_x.size + BLOCK - 1) // BLOCK, BLOCK](samples, grid_x, density, 1.0 / (h * h))
    return density / (samples.size * h)


if __name__ == "__main__":
    flux = cp.load("flux_samples.npy").astype(cp.float64)
    xs = cp.linspace(flux.min(), flux.max(), 200_000)
    cp.save("kde.npy", epanechnikov(flux, xs, 0.05))
