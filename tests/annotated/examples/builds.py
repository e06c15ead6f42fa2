"""How kernels are compiled: for which types, with which layouts, and what universal functions are given."""

import math

import numpy as np
from numba import cuda, float32, int32, vectorize


@cuda.jit
def scaled(a, factor):  # hit: compiled-for-each-type
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@cuda.jit
def shifted(a, factor):  # ok: compiled-for-each-type, large-kernel-not-cached
    i = cuda.grid(1)
    if i < a.size:
        a[i] += factor


@cuda.jit("void(float32[:, :], float32[:])")
def of_any_layout(a, out):  # hit: any-layout-signature
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[0, i]


@cuda.jit("void(float32[:, ::1], float32[::1])")
def of_rows_that_lie_together(a, out):  # ok: any-layout-signature
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[0, i]


@cuda.jit
def waves(a):  # hit: stack-without-local-array
    i = cuda.grid(1)
    if i < a.size:
        a[i] = math.sin(a[i])


@cuda.jit(fastmath=True)
def quick_waves(a):  # ok: stack-without-local-array
    i = cuda.grid(1)
    if i < a.size:
        a[i] = math.sin(a[i])


@cuda.jit
def rounded(a, out):  # hit: many-conversions
    i = cuda.grid(1)
    if i < out.size:
        low, high = int32(a[i]), int32(a[i + 1])
        out[i] = float32(low + high) * float32(low) + float32(int32(float32(high) * a[i + 2]))
        out[i] += float32(int32(a[i] * a[i + 1])) * float32(int32(a[i + 2] * a[i + 3]))


@cuda.jit
def added(a, out):  # ok: many-conversions
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + a[i + 1]


@vectorize(["float32(float32, float32)"], target="cuda")
def sums(a, b):
    return a + b


@vectorize(["float32(float32, float32)"])
def sums_on_the_host(a, b):
    return a + b


def main(n):
    a = cuda.device_array(n, dtype=np.float32)
    image = cuda.device_array((64, n), dtype=np.float32)
    scaled[(n + 127) // 128, 128](a, 2)
    scaled[(n + 127) // 128, 128](a, 2.5)
    shifted[(n + 127) // 128, 128](a, 2.0)  # hit: fusable-launches
    shifted[(n + 63) // 64, 64](a, 2.5)
    of_any_layout[(n + 127) // 128, 128](image, a)
    of_rows_that_lie_together[(n + 127) // 128, 128](image, a)
    waves[(n + 127) // 128, 128](a)  # hit: fusable-launches
    quick_waves[(n + 127) // 128, 128](a)  # hit: fusable-launches
    rounded[(n + 127) // 128, 128](a, a)
    added[(n + 127) // 128, 128](a, a)


def steps(n, files):
    a = cuda.device_array(n, dtype=np.float32)
    for file in files:
        for step in range(n):
            shifted[(n + 127) // 128, 128](  # hit: configured-in-host-loop, launch-in-host-loop
                a, 0.5 * step + file
            )
    configured = shifted[(n + 127) // 128, 128]
    for file in files:
        for step in range(n):
            configured(a, 0.5 * step + file)  # ok: configured-in-host-loop  # hit: launch-in-host-loop


def universal(n):
    here = np.ones(n, dtype=np.float32)
    there = cuda.to_device(here)
    sums(there, there)  # ok: host-array-to-universal-function
    sums_on_the_host(here, here)  # ok: host-array-to-universal-function
    # Both copies are needed: the data comes from the host and goes there.
    return sums(here, here)  # ok: host-array-to-universal-function


def universal_in_a_chain(n):
    here = np.ones(n, dtype=np.float32)
    more = sums(here, 1.0)  # ok: host-array-to-universal-function
    most = sums(more, 1.0)  # hit: host-array-to-universal-function
    return sums(sums(most, 1.0), 1.0)  # hit: host-array-to-universal-function


def universal_with_one_array_twice(n):
    here = np.ones(n, dtype=np.float32)
    first = sums(here, 1.0)  # hit: host-array-to-universal-function
    return first, sums(here, 2.0)  # hit: host-array-to-universal-function


def universal_in_a_loop(n, others):
    here, few = np.ones(n, dtype=np.float32), np.ones(8, dtype=np.float32)
    for other in range(10):
        sums(here, other)  # hit: host-array-to-universal-function
        new = np.full(n, other, dtype=np.float32)
        sums(new, other)  # ok: host-array-to-universal-function
    return sums(sums(few, 1.0), 1.0)  # ok: host-array-to-universal-function
