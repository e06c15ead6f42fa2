"""The guide's branch around an expensive computation, in both of its forms."""

import triton
import triton.language as tl


@triton.jit
def expensive(x):
    total = x
    for _ in range(16):
        total = tl.exp(total) + tl.log(total) + tl.sin(total)
    return total


@triton.jit
def branching(x_ptr, y_ptr, threshold, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    if x > threshold:  # hit: triton-branch-on-block
        result = x * 2
    else:
        result = x
    tl.store(y_ptr + offsets, result, mask=offsets < n)


@triton.jit
def predicated(x_ptr, y_ptr, threshold, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    result = tl.where(x > threshold, expensive(x), 0)
    tl.store(y_ptr + offsets, result, mask=offsets < n)


@triton.jit
def decided_for_all(x_ptr, y_ptr, clip, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    result = tl.where(clip > 0, tl.exp(x), x)  # hit: triton-where-of-costly-sides
    tl.store(y_ptr + offsets, result, mask=offsets < n)


def run(x, y, n):
    grid = (triton.cdiv(n, 1024),)
    predicated[grid](x, y, 0.5, n, BLOCK=1024)
    decided_for_all[grid](x, y, 1, n, BLOCK=1024)
