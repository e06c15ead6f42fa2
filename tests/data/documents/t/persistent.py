"""One small block of elements for each program: most of the time goes into starting programs."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def run(x, y, out, n):
    add[(triton.cdiv(n, 64),)](x, y, out, n, BLOCK=64)  # hit: triton-little-work-per-program
