"""Forty products of small matrices, one after the other, and a launch for each row."""

import numpy as np
import torch
from numba import cuda


def products(A, B):
    output = torch.empty(40, 64, 64, device="cuda")
    for i in range(40):
        output[i] = torch.matmul(A[i], B[i])  # hit: product-for-each-item
    return output


def main():
    A = torch.randn(40, 64, 64, device="cuda")
    B = torch.randn(40, 64, 64, device="cuda")
    return products(A, B)


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def add_all():
    x = cuda.to_device(np.ones((40, 1024), dtype=np.float32))
    out = cuda.device_array_like(x)
    for i in range(40):
        add[4, 256](x[i], x[i], out[i])  # hit: launch-for-each-slice
    return out.copy_to_host()
