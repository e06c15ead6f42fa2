"""Reductions in Triton: values of masked lanes, repeated loads, atomics, loops."""

import triton
import triton.language as tl


@triton.jit
def row_maximum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n)  # hit: triton-masked-load-in-maximum
    tl.store(y_ptr + row, tl.max(x, axis=0))


@triton.jit
def row_maximum_of_all(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf"))  # ok: triton-masked-load-in-maximum
    tl.store(y_ptr + row, tl.max(x, axis=0))


@triton.jit
def row_magnitude(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n)  # ok: triton-masked-load-in-maximum
    tl.store(y_ptr + row, tl.max(tl.abs(x), axis=0))


@triton.jit
def row_range(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n)
    # A selection right before each of the two is right for both.
    highest = tl.max(tl.where(at < n, x, -float("inf")), axis=0)
    tl.store(y_ptr + row, highest - tl.min(tl.where(at < n, x, float("inf")), axis=0))


@triton.jit
def row_sum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n)  # hit: triton-masked-load-in-sum
    tl.store(y_ptr + row, tl.sum(x * x, axis=0))


@triton.jit
def selected_sum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n)  # ok: triton-masked-load-in-sum
    tl.store(y_ptr + row, tl.sum(tl.where(at < n, x, 0.0), axis=0))


@triton.jit
def sums_of_rows(x_ptr, y_ptr, rows, stride, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    # The mask leaves out whole rows, and the sums go along them.
    at = r[:, None] * stride + c[None, :]
    x = tl.load(x_ptr + at, mask=(r < rows)[:, None])  # ok: triton-masked-load-in-sum
    tl.store(y_ptr + r, tl.sum(x, axis=1), mask=r < rows)


@triton.jit
def weighted(x_ptr, w_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    w = tl.load(w_ptr + at, mask=at < n)  # ok: triton-masked-load-in-sum
    tl.store(y_ptr, tl.sum(x * w, axis=0))


@triton.jit
def total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x))  # hit: triton-atomic-of-all-programs


@triton.jit
def totals(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.atomic_add(out_ptr + pid % 64, tl.sum(x))  # ok: triton-atomic-of-all-programs, triton-atomic-in-loop


@triton.jit
def every_iteration(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)  # ok: triton-load-of-loop-invariant
        tl.atomic_add(out_ptr + row, tl.sum(x))  # hit: triton-atomic-in-loop


@triton.jit
def scattered(x_ptr, bins_ptr, n):  # hit: triton-program-of-single-elements
    for i in range(0, n):
        bin = tl.load(x_ptr + i)  # ok: triton-load-of-single-elements
        tl.atomic_add(bins_ptr + bin, 1)  # ok: triton-atomic-in-loop


@triton.jit
def one_by_one(x_ptr, y_ptr, n):  # hit: triton-program-of-single-elements
    acc = 0.0
    for i in range(0, n):
        acc += tl.load(x_ptr + i)  # hit: triton-load-of-single-elements
    tl.store(y_ptr, acc)


@triton.jit
def by_blocks(x_ptr, w_ptr, y_ptr, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        at = start + lanes
        w = tl.load(w_ptr + lanes)  # hit: triton-load-of-loop-invariant
        acc += w * tl.load(x_ptr + at, mask=at < n, other=0.0)  # ok: triton-load-of-single-elements
    tl.store(y_ptr, tl.sum(acc))


@triton.jit
def variance(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < n
    mean = tl.sum(tl.load(x_ptr + row * n + at, mask=mask, other=0.0)) / n  # ok: triton-repeated-load
    x = tl.load(x_ptr + row * n + at, mask=mask, other=0.0)  # hit: triton-repeated-load
    d = tl.where(mask, x - mean, 0.0)
    tl.store(y_ptr + row, tl.sum(d * d) / n)


@triton.jit
def in_place(x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at) + 1)
    x = tl.load(x_ptr + at)  # ok: triton-repeated-load
    tl.store(x_ptr + at, x * 2)


@triton.jit
def unrolled_far(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in tl.static_range(256):  # hit: triton-long-static-range
        acc += tl.load(x_ptr + i * BLOCK + at)
    for i in tl.static_range(4):  # ok: triton-long-static-range, triton-short-loop
        acc += tl.load(x_ptr + i * BLOCK + at)
    for i in range(4):  # hit: triton-short-loop
        acc += tl.load(x_ptr + i * BLOCK + at)
    for i in range(256):  # ok: triton-short-loop, triton-long-static-range
        acc += tl.load(x_ptr + i * BLOCK + at)
    tl.store(y_ptr + at, acc)


def run(x, w, y, n):
    block = triton.next_power_of_2(n)
    for kernel in (
        row_maximum,
        row_maximum_of_all,
        row_magnitude,
        row_range,
        row_sum,
        selected_sum,
        variance,
    ):
        kernel[(64,)](x, y, n, BLOCK=block)
    sums_of_rows[(8,)](x, y, 64, n, R=8, C=block)
    weighted[(1,)](x, w, y, n, BLOCK=block)
    total[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    totals[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    every_iteration[(64,)](x, y, n, BLOCK=1024)
    scattered[(1,)](x, y, n, num_warps=1)
    one_by_one[(1,)](x, y, n)
    by_blocks[(1,)](x, w, y, n, BLOCK=1024)
    in_place[(64,)](x, BLOCK=1024)
    unrolled_far[(1,)](x, y, BLOCK=128)
