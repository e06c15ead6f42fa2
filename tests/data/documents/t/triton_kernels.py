"""First Triton kernels, with what goes wrong in them."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    tl.store(out_ptr + offsets, x + y)


@triton.jit
def shift(x_ptr, out_ptr, n, by, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x + by)  # hit: triton-unmasked-access


@triton.jit
def variance(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    mean = tl.sum(tl.load(x_ptr + row * n + offsets, mask=mask, other=0.0)) / n
    x = tl.load(x_ptr + row * n + offsets, mask=mask, other=0.0)  # hit: triton-repeated-load
    difference = tl.where(mask, x - mean, 0.0)
    tl.store(out_ptr + row, tl.sum(difference * difference) / n)


@triton.jit
def weighted(x_ptr, weights_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        offsets = start + lanes
        weights = tl.load(weights_ptr + lanes)  # hit: triton-load-of-loop-invariant
        total += weights * tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr, tl.sum(total))


@triton.jit
def row_sum(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)  # hit: triton-masked-load-in-sum
    tl.store(out_ptr + row, tl.sum(x, axis=0))


@triton.jit
def total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
        tl.atomic_add(out_ptr, tl.sum(x, axis=0))  # hit: triton-atomic-in-loop


@triton.jit
def long_unrolled(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(0, 512):  # hit: triton-long-static-range
        total += tl.load(x_ptr + offsets + k * BLOCK)
    tl.store(y_ptr + offsets, total)


@triton.jit
def short_loop(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(0, 4):  # hit: triton-short-loop
        total += tl.load(x_ptr + offsets + k * BLOCK)
    tl.store(y_ptr + offsets, total)


def run(x, y, out, n):
    add[(triton.cdiv(n, 1000),)](x, y, out, n, BLOCK=1024)
