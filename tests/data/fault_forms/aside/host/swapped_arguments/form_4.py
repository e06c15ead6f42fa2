"""z-scores of gene expression, gene statistics precomputed."""
import numpy as np
from numba import cuda


@cuda.jit
def standardise(expression, mean, std, scores):
    gene, sample = cuda.grid(2)
    if sample < expression.shape[0] and gene < expression.shape[1]:
        scores[sample, gene] = (expression[sample, gene] - mean[gene]) / std[gene]


def zscores(expression):
    """expression: (samples, genes)."""
    std = expression.std(axis=0) + 1e-8
    mean = expression.mean(axis=0)
    d_expression = cuda.to_device(expression)
    d_std, d_mean = cuda.to_device(std), cuda.to_device(mean)
    d_scores = cuda.device_array(expression.shape, dtype=np.float64)
    threads = (64, 4)
    blocks = ((expression.shape[1] + 63) // 64, (expression.shape[0] + 3) // 4)
    standardise[blocks, threads](d_expression, d_std, d_mean, d_scores)  # fault: swapped_arguments
    return d_scores.copy_to_host()


if __name__ == "__main__":
    print(zscores(np.random.gamma(2.0, 3.0, (2000, 20000)))[0, :5])
