import math

import cupy as cp
from numba import cuda


@cuda.jit
def layer_norm_apply(x, mean, var, gamma, beta, y):
    """Rows along y, features along x of the grid."""
    f, row = cuda.grid(2)
    if row < x.shape[0] and f < x.shape[1]:
        inv = 1.0 / math.sqrt(var[row] + eps)  # fault: undefined_name
        y[row, f] = (x[row, f] - mean[row]) * inv * gamma[f] + beta[f]


class LayerNorm:
    def __init__(self, features, eps=1e-5):
        self.eps = eps
        self.gamma = cp.ones(features)
        self.beta = cp.zeros(features)

    def __call__(self, x):
        y = cp.empty_like(x)
        grid = ((x.shape[1] + 63) // 64, (x.shape[0] + 3) // 4)
        layer_norm_apply[grid, (64, 4)](x, x.mean(axis=1), x.var(axis=1), self.gamma, self.beta, y)
        return y


if __name__ == "__main__":
    tokens = cp.random.standard_normal((32768, 768))
    print(float(LayerNorm(768)(tokens).std()))
