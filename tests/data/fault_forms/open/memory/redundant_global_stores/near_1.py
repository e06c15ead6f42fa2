# near: redundant_global_stores
import cupy as cp
from numba import cuda


@cuda.jit
def standardise(x, mean, inv_std, z, params):
    i = cuda.grid(1)
    if i == 0:
        params[0] = mean
        params[1] = inv_std
    if i < x.size:
        z[i] = (x[i] - mean) * inv_std


def zscore(x):
    z = cp.empty_like(x)
    params = cp.empty(2, dtype=cp.float64)
    standardise[(x.size + 255) // 256, 256](x, float(x.mean()), 1.0 / float(x.std()), z, params)
    return z, params


if __name__ == "__main__":
    z, params = zscore(cp.load("expression.npy").astype(cp.float64).ravel())
    cp.savez("standardised.npz", z=z, params=params)
