"""Loops with CuPy: copies, values, chains of elementwise operations, buffers."""

import cupy as cp
import numpy as np


def values_and_copies(n, steps):
    x = cp.zeros(n)
    total, found = 0.0, []
    for _ in range(steps):
        x = cp.sin(x)
        total += float(x.sum())  # hit: value-read-in-host-loop
        found.append(x.get())  # hit: copy-in-host-loop
    return total, found, cp.asnumpy(x)  # ok: copy-in-host-loop


def new_data_in_every_step(n, steps):
    x = cp.zeros(n)
    for k in range(steps):
        part = np.full(n, k)
        x += cp.asarray(part)  # hit: array-filled-on-host  # ok: copy-in-host-loop
    return x


def the_same_data_in_every_step(n, steps):
    x = cp.zeros(n)
    weights = np.ones(n)
    for _ in range(steps):
        x = x * cp.asarray(weights)  # hit: same-copy-in-host-loop
    return x


def on_the_device_already(n, steps):
    x = cp.zeros(n)
    y = cp.ones(n)
    for _ in range(steps):
        x = x + cp.asarray(y)  # ok: copy-in-host-loop, same-copy-in-host-loop
    return x


def a_formula(n, steps):
    x, v = cp.zeros(n), cp.ones(n)
    for _ in range(steps):
        v = v * 0.99 - 0.5 * cp.sin(x) + 0.25 * x * x  # hit: elementwise-chain
        x = x + 0.1 * v  # ok: elementwise-chain
    return x


def a_formula_once(n):
    x, v = cp.zeros(n), cp.ones(n)
    return v * 0.99 - 0.5 * cp.sin(x) + 0.25 * x * x  # ok: elementwise-chain


@cp.fuse()
def fused(n, steps):
    x = cp.zeros(n)
    for _ in range(steps):
        x = x * 0.99 - 0.5 * cp.sin(x) + 0.25 * x * x  # ok: elementwise-chain
    return x


def a_formula_of_numpy(n, steps):
    x, v = np.zeros(n), np.ones(n)
    for _ in range(steps):
        v = v * 0.99 - 0.5 * np.sin(x) + 0.25 * x * x  # ok: elementwise-chain
    return v


def a_buffer(n, steps):
    x = cp.zeros(n)
    for _ in range(steps):
        work = cp.empty(n)  # hit: buffer-allocated-in-host-loop
        cp.sin(x, out=work)
        x += work
    return x


def freed_in_every_step(n, steps):
    pool = cp.get_default_memory_pool()
    x = cp.zeros(n)
    for _ in range(steps):
        x = cp.sin(x)
        pool.free_all_blocks()  # hit: memory-freed-in-host-loop
    pool.free_all_blocks()  # ok: memory-freed-in-host-loop
    return x


def waits_in_every_step(n, steps):
    x = cp.zeros(n)
    for _ in range(steps):
        x = cp.sin(x)
        cp.cuda.Stream.null.synchronize()  # hit: wait-in-host-loop
    return x
