"""Two kernels with mistakes that only a launch shows."""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def total(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0)
    tl.store(o, tl.load(o) + s)


@triton.jit
def past(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n, other=0.0))


x, o = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
total[(8,)](x, o, 1000, B=128)
try:
    past[(8,)](x, o, 1000, B=128)
except RuntimeError as problem:
    print('"', str(problem).split(" at ")[0], '"', sep="")
