"""NumPy arrays among the arguments of a launch, and arrays that live on the device."""

import numpy as np
from numba import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def from_the_host(n):
    a = np.ones(n, dtype=np.float32)
    b = np.zeros_like(a)
    out = np.empty(n, dtype=np.float32)
    blocks = (n + 255) // 256
    add[blocks, 256](a, b, out)  # hit: host-array-argument
    return out


def one_from_the_host(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = np.empty(n, dtype=np.float32)
    blocks = (n + 255) // 256
    add[blocks, 256](a, a, out)  # hit: host-array-argument
    return out


@cuda.jit
def add_there(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def double(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= np.float32(2)


def changed_in_place(n):
    a = np.ones(n, dtype=np.float32)
    double[(n + 255) // 256, 256](a)  # ok: host-array-argument
    return a


def changed_in_place_twice(n):
    a = np.ones(n, dtype=np.float32)
    double[(n + 255) // 256, 256](a)  # hit: host-array-argument
    double[(n + 255) // 256, 256](a)  # hit: host-array-argument
    return a


def changed_in_place_by_turns(n, times):
    a = np.ones(n, dtype=np.float32)
    for _ in range(times):
        double[(n + 255) // 256, 256](a)  # hit: host-array-argument, launch-in-host-loop
    return a


def new_in_each_turn(n, times):
    found = []
    for time in range(times):
        a = np.full(n, time, dtype=np.float32)
        double[(n + 255) // 256, 256](a)  # ok: host-array-argument  # hit: launch-in-host-loop
        found.append(a)
    return found


def a_few_kilobytes():
    a = np.ones(1024, dtype=np.float32)
    out = np.empty_like(a)
    add[4, 256](a, a, out)  # ok: host-array-argument
    return out


def on_the_device(n):
    a = np.ones(n, dtype=np.float32)
    there = cuda.to_device(a)
    out = cuda.device_array_like(a)
    blocks = (n + 255) // 256
    add_there[blocks, 256](there, there, out)  # ok: host-array-argument
    return out.copy_to_host()


def moved_under_the_same_name(n):
    a = np.ones(n, dtype=np.float32)
    a = cuda.to_device(a)
    out = cuda.device_array(n, dtype=np.float32)
    add_there[(n + 255) // 256, 256](a, a, out)  # ok: host-array-argument
    return out


def given_by_the_caller(a, b, out):
    add_there[4096, 256](a, b, out)  # ok: host-array-argument


def managed(n):
    a = cuda.managed_array(n, dtype=np.float32)
    a[:] = 1
    add_there[(n + 255) // 256, 256](a, a, a)  # ok: host-array-argument
    return a


def what_the_copies_cost(n):
    a = np.ones(n, dtype=np.float32)
    # The kernel gets device arrays everywhere else in this file.
    add_there[(n + 255) // 256, 256](a, a, a)  # ok: host-array-argument
    return a
