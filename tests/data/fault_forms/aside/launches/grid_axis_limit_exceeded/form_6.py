"""Weighted edges of a tall design matrix, laid out with the samples on the y axis."""
import numpy as np
from numba import cuda


@cuda.jit
def centre(x, mean):
    j = cuda.grid(1)
    i = cuda.blockIdx.y
    if j < x.shape[1]:
        x[i, j] -= mean[j]


@cuda.jit
def weight_rows(x, w):
    j = cuda.grid(1)
    i = cuda.blockIdx.y
    if j < x.shape[1]:
        x[i, j] *= w[i]


def make_grid(shape, threads):
    rows, cols = shape
    return (cols + threads - 1) // threads, rows


def prepare(x, w, chunk=50_000, threads=128):
    mean = cuda.to_device(x[:chunk].mean(axis=0))
    d_x = cuda.to_device(x)
    for first in range(0, x.shape[0], chunk):
        part = d_x[first:first + chunk]
        centre[make_grid(part.shape, threads), threads](part, mean)
    weight_rows[make_grid(d_x.shape, threads), threads](d_x, cuda.to_device(w))  # fault: grid_axis_limit_exceeded
    return d_x.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    design = rng.normal(size=(400_000, 512))
    print(prepare(design, rng.random(400_000)).std())
