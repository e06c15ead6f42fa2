"""Coexpression network of genes."""
import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def correlations(z, r):
    """z: (samples, genes) standardised; r: (genes, genes)."""
    j, i = cuda.grid(2)
    n = r.shape[0]
    if i < n and j < n:  # fault: wasted_computation
        s = 0.0
        for k in range(z.shape[0]):
            s += z[k, i] * z[k, j]
        r[i, j] = s / z.shape[0]


class CoexpressionNetwork:
    def __init__(self, threshold):
        self.threshold = threshold

    def edges(self, expression):
        z = cp.asarray(expression)
        z = (z - z.mean(axis=0)) / z.std(axis=0)
        genes = z.shape[1]
        r = cp.empty((genes, genes))
        correlations[((genes + 31) // 32, (genes + 7) // 8), (32, 8)](z, r)
        upper = cp.triu(r, k=1)
        return cp.argwhere(upper > self.threshold)


if __name__ == "__main__":
    network = CoexpressionNetwork(0.2)
    print(len(network.edges(np.random.rand(300, 8000))))
