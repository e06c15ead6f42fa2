"""Loops that ask in each iteration whether their counter lies inside of bounds, and loops that do not."""

import numpy as np
from numba import cuda

RADIUS = 8


@cuda.jit
def window_sum(a, out):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        total = np.float32(0.0)
        for dy in range(-RADIUS, RADIUS + 1):
            for dx in range(-RADIUS, RADIUS + 1):
                v = y + dy
                u = x + dx
                if 0 <= v < a.shape[0] and 0 <= u < a.shape[1]:  # hit: bounds-asked-in-loop
                    total += a[v, u]
        out[y, x] = total


@cuda.jit
def window_sum_inside(a, out):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:  # ok: bounds-asked-in-loop
        total = np.float32(0.0)
        v_end = min(y + RADIUS + 1, a.shape[0])
        v = max(y - RADIUS, 0)
        while v < v_end:
            u_end = min(x + RADIUS + 1, a.shape[1])
            u = max(x - RADIUS, 0)
            while u < u_end:
                total += a[v, u]
                u += 1
            v += 1
        out[y, x] = total


@cuda.jit
def convolved(a, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0.0)
        for k in range(weights.size):
            if i - k >= 0:  # hit: bounds-asked-in-loop
                total += a[i - k] * weights[k]
        out[i] = total


@cuda.jit
def mirrored(a, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0.0)
        for k in range(weights.size):
            if i - k >= 0:  # ok: bounds-asked-in-loop
                total += a[i - k] * weights[k]
            else:
                total += a[k - i] * weights[k]
        out[i] = total


@cuda.jit
def later_pairs(a, out):
    i = cuda.grid(1)
    if i < a.size:
        near = 0
        for j in range(a.size):
            if j > i:  # hit: bounds-asked-in-loop
                near += a[j] < a[i]
        out[i] = near


@cuda.jit
def other_pairs(a, out):
    i = cuda.grid(1)
    if i < a.size:
        near = 0
        for j in range(a.size):
            if j != i:  # ok: bounds-asked-in-loop
                near += a[j] < a[i]
        out[i] = near


@cuda.jit
def of_large_values(a, least, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0.0)
        for j in range(a.shape[0]):
            value = a[j, i]
            if value > least:  # ok: bounds-asked-in-loop
                total += value
        out[i] = total


@cuda.jit
def four_each(a, out):
    first = cuda.blockIdx.x * 4 * cuda.blockDim.x + cuda.threadIdx.x
    for k in range(4):
        if k < a.shape[0]:  # ok: bounds-asked-in-loop
            out[k, first] = a[k, first]
