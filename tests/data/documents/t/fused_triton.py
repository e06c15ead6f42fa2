"""The same in Triton."""

import torch
import triton
import triton.language as tl


@triton.jit
def exponential(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, tl.exp(x), mask=offsets < n)


@triton.jit
def multiply(y_ptr, w_ptr, scale, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(y_ptr + offsets, mask=offsets < n)
    tl.store(w_ptr + offsets, y * scale, mask=offsets < n)


def run(x):
    y = torch.empty_like(x)
    w = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    exponential[grid](x, y, x.numel(), BLOCK=1024)
    multiply[grid](y, w, 2.0, x.numel(), BLOCK=1024)  # hit: triton-fusable-launches
    return w
