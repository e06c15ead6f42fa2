"""Clocks that a script itself reads around launches, at the top of the module."""

from time import perf_counter
from timeit import default_timer as timer

import numpy as np
from numba import cuda


@cuda.jit
def square(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * a[i]


@cuda.jit
def triple(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * np.float32(3)


@cuda.jit
def halve(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * np.float32(0.5)


@cuda.jit
def negate(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = -a[i]


@cuda.jit
def shift(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] + np.float32(1)


host = np.ones(1 << 24, dtype=np.float32)
device = cuda.to_device(host)

start = timer()
square[65536, 256](device)
taken = timer() - start  # hit: measured-without-wait, compile-in-measurement
print(taken)

triple[65536, 256](device)
cuda.synchronize()
begin = perf_counter()
triple[65536, 256](device)
cuda.synchronize()
end = perf_counter()  # ok: measured-without-wait, compile-in-measurement
print(end - begin)

began = perf_counter()
halve[65536, 256](host)
ended = perf_counter()  # ok: measured-without-wait  # hit: compile-in-measurement
print(ended - began)

alone = perf_counter()
host += 1
print(perf_counter() - alone)  # ok: measured-without-wait, compile-in-measurement

if __name__ == "__main__":
    negate[65536, 256](device)
    cuda.synchronize()
    begun = perf_counter()
    negate[65536, 256](device)
    cuda.synchronize()
    print(perf_counter() - begun)  # ok: measured-without-wait, compile-in-measurement

    opened = perf_counter()
    shift[65536, 256](device)
    cuda.synchronize()
    print(perf_counter() - opened)  # ok: measured-without-wait  # hit: compile-in-measurement
