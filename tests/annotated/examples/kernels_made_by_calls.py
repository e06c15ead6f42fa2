"""Kernels that no decorator stands above: calls, factories, options kept in names, dictionaries, methods."""

import functools

import numba
import numpy as np
from numba import cuda

fast = functools.partial(cuda.jit, fastmath=True)


def compiled(function, signature=None):
    return cuda.jit(signature)(function)


def with_options(**options):
    def decorator(function):
        return cuda.jit(**options)(function)

    return decorator


def total(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(x.shape[1]):
            cuda.atomic.add(out, 0, x[i, k])  # hit: atomic-sum-in-loop, contended-atomic, uncoalesced-access


def rows(x, out):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i, j]  # hit: transposed-index


def columns(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i, j]  # ok: transposed-index, uncoalesced-access


def host_rows(x, out):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j, i] = x[j, i]  # hit: element-copied-in-host-loop  # ok: transposed-index


@with_options(fastmath=True)
def optional(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(x.shape[1]):
            cuda.atomic.add(out, 0, x[i, k])  # hit: atomic-sum-in-loop, contended-atomic, uncoalesced-access


@numba.njit
def add_to(out, i, value):
    cuda.atomic.add(out, i, value)  # hit: contended-atomic


@cuda.jit
def with_device_function(x, out):
    i = cuda.grid(1)
    if i < x.size:
        add_to(out, 0, x[i])


KERNELS = {"rows": cuda.jit(rows), "columns": compiled(columns)}


class Sum:
    def __init__(self):
        self._kernel = cuda.jit(numba.void(numba.float32[:, ::1], numba.float32[::1]))(self.body)

    @staticmethod
    def body(x, out):
        i = cuda.grid(1)
        if i < out.size:
            for k in range(x.shape[1]):
                v = x[i, k]  # hit: uncoalesced-access
                cuda.atomic.add(out, 0, v)  # hit: atomic-sum-in-loop, contended-atomic

    def run(self, x, out):
        self._kernel[(x.shape[0] + 255) // 256, 256](x, out)


def main():
    x = cuda.to_device(np.zeros((4096, 4096), np.float32))
    y = cuda.to_device(np.zeros((4096, 4096), np.float32))
    long = cuda.to_device(np.zeros((1 << 20, 64), np.float32))
    out = cuda.to_device(np.zeros(1 << 20, np.float32))
    fast(total).configure(4096, 256)(long, out)
    KERNELS["rows"][(256, 256), (16, 16)](x, y)
    KERNELS["columns"][(256, 256), (16, 16)](x, y)
    optional[4096, 256](long, out)
    with_device_function[4096, 256](out, y[0])
    Sum().run(long, out)
    host_rows(x, y)


main()
