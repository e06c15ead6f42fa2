"""Sums that go through global memory in each round of a loop, and sums in registers."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def sum_of_a_column(a, out):
    j = cuda.grid(1)
    if j < out.size:
        out[j] = np.float32(0)
        for k in range(a.shape[0]):
            out[j] += a[k, j]  # hit: global-accumulation-in-loop


@cuda.jit
def sum_in_a_register(a, out):
    j = cuda.grid(1)
    if j < out.size:
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += a[k, j]  # ok: global-accumulation-in-loop
        out[j] = total  # ok: global-accumulation-in-loop


@cuda.jit
def written_out(a, out):
    j = cuda.grid(1)
    if j < out.size:
        for k in range(a.shape[0]):
            out[j] = out[j] + a[k, j]  # hit: global-accumulation-in-loop


@cuda.jit
def another_element_each_time(a, out):
    j = cuda.grid(1)
    if j < a.shape[1]:
        for k in range(a.shape[0]):
            out[k, j] += a[k, j]  # ok: global-accumulation-in-loop


@cuda.jit
def no_loop(a, out):
    j = cuda.grid(1)
    if j < out.size:
        out[j] += a[0, j]  # ok: global-accumulation-in-loop


@cuda.jit
def in_shared_memory(a, out):
    t = cuda.threadIdx.x
    sums = cuda.shared.array(256, float32)
    sums[t] = np.float32(0)
    for k in range(a.shape[0]):
        sums[t] += a[k, t]  # ok: global-accumulation-in-loop
    if t < out.shape[1]:
        out[cuda.blockIdx.x, t] = sums[t]


@cuda.jit
def stored_as_it_grows(a, out):
    j = cuda.grid(1)
    if j < out.size:
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += a[k, j]
            out[j] = total  # hit: store-in-each-iteration  # ok: global-accumulation-in-loop


@cuda.jit
def stored_in_a_row(a, other):
    j = cuda.grid(1)
    if j < other.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += a[k, j]
            other[k, j] = total  # ok: store-in-each-iteration


def main():
    n = 1 << 16
    a = cuda.to_device(np.ones((256, n), dtype=np.float32))
    other = cuda.device_array((256, n), dtype=np.float32)
    out = cuda.device_array(n, dtype=np.float32)
    blocks = n // 256
    sum_of_a_column[blocks, 256](a, out)
    sum_in_a_register[blocks, 256](a, out)
    written_out[blocks, 256](a, out)
    another_element_each_time[blocks, 256](a, other)
    no_loop[blocks, 256](a, out)
    in_shared_memory[blocks, 256](a, other)
    stored_as_it_grows[blocks, 256](a, out)
    stored_in_a_row[blocks, 256](a, other)


@cuda.jit
def sums_of_chosen_rows(trades, prices, out, batches):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    rows = cuda.shared.array(64, np.int32)
    for batch in range(batches):
        cuda.syncthreads()
        if t < 64:
            rows[t] = trades[batch * 64 + t]
        cuda.syncthreads()
        if i < prices.size:
            for j in range(64):
                row = rows[j]
                out[row, i] += prices[i]  # ok: global-accumulation-in-loop


@cuda.jit
def sum_of_one_chosen_row(trades, prices, out):
    i = cuda.grid(1)
    if i < prices.shape[1]:
        row = trades[i]
        for j in range(prices.shape[0]):
            out[row, i] += prices[j, i]  # hit: global-accumulation-in-loop


@cuda.jit
def sums_by_list(trades, prices, out):
    i = cuda.grid(1)
    if i < prices.shape[2]:
        for step in range(prices.shape[0]):
            for j in range(trades.size):
                out[trades[j], i] += prices[step, j, i]  # hit: global-accumulation-in-loop


@cuda.jit
def walk_along_a_chain(following, terms, out):
    i = cuda.grid(1)
    at = cuda.local.array(1, np.int32)
    at[0] = i
    if i < out.size:
        for _ in range(8):
            out[at[0]] += terms[i]  # ok: global-accumulation-in-loop
            at[0] = following[at[0]]
