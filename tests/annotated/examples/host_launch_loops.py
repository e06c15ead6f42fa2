"""Loops of launches: items one by one, sequences that a graph could replay, kernels that could be one."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * np.float32(2)


@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + np.float32(1)


@cuda.jit
def smooth(x, y):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        y[i] = x[i - 1] + x[i + 1]


def row_by_row(rows, results, n):
    a, b = cuda.to_device(rows), cuda.to_device(results)
    for k in range(n):  # ok: static-launch-sequence
        scale[4096, 256](a[k], b[k])  # hit: launch-for-each-slice  # ok: launch-in-host-loop
    return b


def whole_arrays(x, y, steps):
    for _ in range(steps):  # ok: static-launch-sequence
        scale[4096, 256](x, y)  # ok: launch-for-each-slice  # hit: launch-in-host-loop


def once_for_one_row(rows, results, k):
    scale[4096, 256](rows[k], results[k])  # ok: launch-for-each-slice


def the_same_in_every_iteration(x, y, z, steps):
    for _ in range(steps):  # hit: static-launch-sequence
        scale[4096, 256](x, y)  # hit: launch-in-host-loop
        smooth[4096, 256](y, z)  # hit: launch-in-host-loop  # ok: fusable-launches
        shift[4096, 256](z, x)  # hit: launch-in-host-loop, fusable-launches


def a_copy_in_every_iteration(x, y, z, steps, results):
    for _ in range(steps):  # ok: static-launch-sequence
        scale[4096, 256](x, y)  # hit: launch-in-host-loop
        smooth[4096, 256](y, z)  # hit: launch-in-host-loop
        results.append(z.copy_to_host())  # hit: copy-in-host-loop


def the_host_decides(x, y, z, steps, often):
    for _ in range(steps):  # ok: static-launch-sequence
        scale[4096, 256](x, y)  # hit: launch-in-host-loop
        if often(steps):
            smooth[4096, 256](y, z)  # hit: launch-in-host-loop


def arguments_change(x, y, steps):
    for _ in range(steps):  # ok: static-launch-sequence
        scale[4096, 256](x, y)  # hit: launch-in-host-loop
        smooth[4096, 256](y, x)  # hit: launch-in-host-loop
        x, y = y, x


def one_behind_the_other(x, y, z):
    scale[4096, 256](x, y)  # ok: fusable-launches
    shift[4096, 256](y, z)  # hit: fusable-launches


def another_grid(x, y, z):
    scale[4096, 256](x, y)
    shift[2048, 512](y, z)  # ok: fusable-launches


def neighbours_are_read(x, y, z):
    scale[4096, 256](x, y)
    smooth[4096, 256](y, z)  # ok: fusable-launches


def other_arrays(x, y, z, w):
    scale[4096, 256](x, y)
    shift[4096, 256](z, w)  # ok: fusable-launches


def something_between(x, y, z, look):
    scale[4096, 256](x, y)
    look(y)
    shift[4096, 256](y, z)  # ok: fusable-launches


@cuda.jit
def add_term(power, term, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += term * power[i]


@cuda.jit
def sum_of_powers(power, terms, y):
    i = cuda.grid(1)
    if i < y.size:
        total = np.float32(0)
        for term in terms:
            total += term * power[i]
        y[i] = total


def term_by_term(power, y, terms):
    for term in terms:
        add_term[4096, 256](power, term, y)  # hit: launch-in-host-loop  # ok: launch-for-each-slice


def all_terms(power, y, terms):
    sum_of_powers[4096, 256](power, terms, y)  # ok: launch-in-host-loop
