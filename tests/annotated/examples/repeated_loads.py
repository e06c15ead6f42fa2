"""Loads that a loop repeats."""

import numpy as np
from numba import cuda


@cuda.jit("void(float32[::1], float32[::1], float32[:, ::1])")
def scaled_columns(scales, offsets, out):
    j = cuda.grid(1)
    if j < out.shape[1]:
        for i in range(out.shape[0]):
            out[i, j] = scales[j] * offsets[i]  # hit: loop-invariant-load


@cuda.jit("void(float32[::1], float32[::1], float32[:, ::1])")
def scaled_columns_once(scales, offsets, out):
    j = cuda.grid(1)
    if j < out.shape[1]:
        scale = scales[j]  # ok: loop-invariant-load
        for i in range(out.shape[0]):
            out[i, j] = scale * offsets[i]  # ok: loop-invariant-load


@cuda.jit("void(float32[::1], float32[::1], float32[::1])")
def one_store(scales, offsets, out):
    j = cuda.grid(1)
    if j < out.shape[0]:
        total = np.float32(0.0)
        for i in range(offsets.shape[0]):
            total += scales[j] * offsets[i]  # ok: loop-invariant-load
        out[j] = total


ORDER = 4


@cuda.jit("void(float32[:, ::1], float32[:, ::1], float32[:, ::1])")
def filtered(weights, values, out):
    row = cuda.grid(1)
    if row < out.shape[1]:
        for step in range(out.shape[0]):
            total = np.float32(0.0)
            for k in range(ORDER):
                total += weights[k, row] * values[step, k]  # hit: row-loaded-again
            out[step, row] = total


@cuda.jit("void(float32[:, ::1], float32[::1])")
def filtered_once(weights, out):
    row = cuda.grid(1)
    if row < out.shape[0]:
        total = np.float32(0.0)
        for k in range(ORDER):
            total += weights[k, row]  # ok: row-loaded-again
        out[row] = total
