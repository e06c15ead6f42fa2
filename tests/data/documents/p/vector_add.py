"""The guide's sum of 100,000 elements: a hundred launches for single rows, and one for all of them."""

import numpy as np
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@cuda.jit
def add_batch(x, y, out):
    row, i = cuda.grid(2)[1], cuda.grid(2)[0]
    if row < out.shape[0] and i < out.shape[1]:
        out[row, i] = x[row, i] + y[row, i]


def data():
    x = cuda.to_device(np.ones((100, 1000), dtype=np.float32))
    return x, cuda.device_array_like(x)


def one_by_one():
    x, out = data()
    for row in range(x.shape[0]):
        add[4, 256](x[row], x[row], out[row])
    return out.copy_to_host()


def batched():
    x, out = data()
    add_batch[(4, 100), (256, 1)](x, x, out)
    return out.copy_to_host()


def workload():
    return one_by_one()
