"""Sums that begin with whatever the memory holds, and sums that begin with zero."""

import numpy as np
from numba import cuda


@cuda.jit
def count(labels, counts):
    i = cuda.grid(1)
    if i < labels.size:
        cuda.atomic.add(counts, labels[i], 1)


@cuda.jit
def clear(counts):
    i = cuda.grid(1)
    if i < counts.size:
        counts[i] = 0


@cuda.jit
def add_scaled(y, x, factor):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += factor * x[i]


def counts_of(labels, classes):
    counts = cuda.device_array(classes, dtype=np.int32)
    blocks = (labels.size + 255) // 256
    count[blocks, 256](labels, counts)  # hit: sum-in-unset-memory
    return counts.copy_to_host()


def counts_from_zeros(labels, classes):
    counts = cuda.to_device(np.zeros(classes, dtype=np.int32))
    blocks = (labels.size + 255) // 256
    count[blocks, 256](labels, counts)  # ok: sum-in-unset-memory
    return counts.copy_to_host()


def counts_cleared_on_the_device(labels, classes):
    counts = cuda.device_array(classes, dtype=np.int32)
    blocks = (labels.size + 255) // 256
    clear[(classes + 255) // 256, 256](counts)  # ok: sum-in-unset-memory
    count[blocks, 256](labels, counts)  # ok: sum-in-unset-memory
    return counts.copy_to_host()


def sum_of_parts(parts, factor):
    total = cuda.device_array_like(parts[0])
    for part in parts:
        add_scaled[(part.size + 255) // 256, 256](total, part, factor)  # hit: sum-in-unset-memory
    return total.copy_to_host()


def sum_from_the_first_part(parts, factor):
    total = cuda.device_array_like(parts[0])
    total.copy_to_device(parts[0])
    for part in parts[1:]:
        add_scaled[(part.size + 255) // 256, 256](total, part, factor)  # ok: sum-in-unset-memory
    return total.copy_to_host()
