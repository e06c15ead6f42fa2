"""Programs whose host loops go into the kernel, before and after."""

from __future__ import annotations

HEAD = """
import math
import numpy as np
from numba import cuda, float32

ORDER = 3
BLOCK = (16, 8)


"""
FORECAST = """
@cuda.jit
def forecast(past, weights, out, step):
    # One thread for each row and origin.
    row, origin = cuda.grid(2)
    if row < out.shape[0] and origin < out.shape[2]:
        # The newest comes first.
        out[row, step, origin] = 0.0
        for k in range(ORDER):
            earlier = step - 1 - k
            if earlier >= 0:
                value = out[row, earlier, origin]
            else:
                value = past[row, origin + ORDER + earlier]
            out[row, step, origin] += weights[row, k] * value
        # Nothing is left.


def run(past, weights, steps):
    rows, points = past.shape
    count = int(steps)
    grid = ((rows + BLOCK[0] - 1) // BLOCK[0], (points + BLOCK[1] - 1) // BLOCK[1])
    out = cuda.device_array((rows, count, points - ORDER + 1), np.float32)
    for step in range(count):  # each from the ones before
        # One step
        forecast[grid, BLOCK](
            past, weights,
            out, step,
        )  # no wait
    return out.copy_to_host()
"""
FORECAST_FIXED = """
@cuda.jit
def forecast(past, weights, out, count):
    # One thread for each row and origin.
    row, origin = cuda.grid(2)
    if row < out.shape[0] and origin < out.shape[2]:
        for step in range(count):
            # The newest comes first.
            out[row, step, origin] = 0.0
            for k in range(ORDER):
                earlier = step - 1 - k
                if earlier >= 0:
                    value = out[row, earlier, origin]
                else:
                    value = past[row, origin + ORDER + earlier]
                out[row, step, origin] += weights[row, k] * value
            # Nothing is left.


def run(past, weights, steps):
    rows, points = past.shape
    count = int(steps)
    grid = ((rows + BLOCK[0] - 1) // BLOCK[0], (points + BLOCK[1] - 1) // BLOCK[1])
    out = cuda.device_array((rows, count, points - ORDER + 1), np.float32)
    # each from the ones before
    # One step
    forecast[grid, BLOCK](
        past, weights,
        out, count,
    )  # no wait
    return out.copy_to_host()
"""
RETURNS = """
@cuda.jit(fastmath=False)
def settle(past, state, t):
    i = cuda.grid(1)
    if i >= state.shape[0]:
        return
    n = past.shape[1]
    if past[i, t % n] < 0.5:
        return
    change = past[i, t % n] - state[i]
    if change > 0:
        state[i] += change * 0.25


def run(past, weights, steps):
    state = cuda.to_device(past[:, 0].copy())
    for t in range(1, steps + 1): settle[(len(past) + 31) // 32, 32](past, state, t)
    return state.copy_to_host()
"""
RETURNS_FIXED = """
@cuda.jit(fastmath=False)
def settle(past, state, t_start, t_stop):
    i = cuda.grid(1)
    if i >= state.shape[0]:
        return
    n = past.shape[1]
    for t in range(t_start, t_stop):
        if past[i, t % n] < 0.5:
            continue
        change = past[i, t % n] - state[i]
        if change > 0:
            state[i] += change * 0.25


def run(past, weights, steps):
    state = cuda.to_device(past[:, 0].copy())
    settle[(len(past) + 31) // 32, 32](past, state, 1, int(steps + 1))
    return state.copy_to_host()
"""
STRIDES = """
@cuda.jit
def decay(state, k, counts, bins):
    total = 0.0
    first = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    for i in range(first, state.shape[0], cuda.gridsize(1)):
        state[i, 0] = state[i, 0] * 0.5 + math.sqrt(float(k))
        total += state[i, 0]
        cuda.atomic.add(counts, k % bins, 1)
    if total < 0:
        cuda.atomic.add(counts, 0, 1)


def run(past, weights, steps):
    state, counts = cuda.to_device(past), cuda.to_device(np.zeros(4, np.int32))
    bins = 4
    for round in range(2):
        for k in range(round, 9, 3):
            decay[2, 32](state, k, counts, bins)
    for k in range(steps):
        print(k)
    return state.copy_to_host() + counts.copy_to_host()[0]
"""
STRIDES_FIXED = """
@cuda.jit
def decay(state, k_start, k_stop, k_stride, counts, bins):
    for k in range(k_start, k_stop, k_stride):
        total = 0.0
        first = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        for i in range(first, state.shape[0], cuda.gridsize(1)):
            state[i, 0] = state[i, 0] * 0.5 + math.sqrt(float(k))
            total += state[i, 0]
            cuda.atomic.add(counts, k % bins, 1)
        if total < 0:
            cuda.atomic.add(counts, 0, 1)


def run(past, weights, steps):
    state, counts = cuda.to_device(past), cuda.to_device(np.zeros(4, np.int32))
    bins = 4
    for round in range(2):
        decay[2, 32](state, int(round), 9, 3, counts, bins)
    for k in range(steps):
        print(k)
    return state.copy_to_host() + counts.copy_to_host()[0]
"""
BLOCKS = """
@cuda.jit
def spread(state, past, step):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    kept = cuda.local.array(2, float32)
    for j in range(2):
        kept[j] = past[row, j] * step
    state[row, column] += kept[0] - kept[1]


def run(past, weights, steps: int):
    state = cuda.to_device(past)
    for step in range(0, steps, 1):
        spread[past.shape[0], (past.shape[1], 1)](state, past, step)
    return state.copy_to_host()
"""
BLOCKS_FIXED = """
@cuda.jit
def spread(state, past, steps):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    kept = cuda.local.array(2, float32)
    for step in range(steps):
        for j in range(2):
            kept[j] = past[row, j] * step
        state[row, column] += kept[0] - kept[1]


def run(past, weights, steps: int):
    state = cuda.to_device(past)
    spread[past.shape[0], (past.shape[1], 1)](state, past, steps)
    return state.copy_to_host()
"""
INSIDE = {
    "steps that read the steps before": (FORECAST, FORECAST_FIXED),
    "early returns and a start": (RETURNS, RETURNS_FIXED),
    "grid-stride loops, atomics, a stride": (STRIDES, STRIDES_FIXED),
    "a block for each row": (BLOCKS, BLOCKS_FIXED),
}
