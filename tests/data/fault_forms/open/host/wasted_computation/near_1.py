# near: wasted_computation
"""Correlation of genes, upper triangle only."""
import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def strong_pairs(z, threshold, strong):
    """z: (samples, genes) standardised; strong: (genes, genes) flags set to zero before."""
    j, i = cuda.grid(2)
    n = strong.shape[0]
    if i < j and j < n:
        s = 0.0
        for k in range(z.shape[0]):
            s += z[k, i] * z[k, j]
        if s > threshold * z.shape[0]:
            strong[i, j] = 1


def edges(expression, threshold):
    z = cp.asarray(expression)
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    genes = z.shape[1]
    strong = cp.zeros((genes, genes), dtype=cp.uint8)
    strong_pairs[((genes + 31) // 32, (genes + 7) // 8), (32, 8)](z, threshold, strong)
    return cp.argwhere(strong)


if __name__ == "__main__":
    print(len(edges(np.random.rand(300, 8000), 0.2)))
