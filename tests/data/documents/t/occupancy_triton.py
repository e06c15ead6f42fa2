"""The guide's block of 1024 x 1024, which is too large."""

import triton
import triton.language as tl


@triton.jit
def too_big(x_ptr, y_ptr):
    shared = tl.zeros([1024, 1024], dtype=tl.float32)
    rows = tl.arange(0, 1024)
    shared += tl.load(x_ptr + rows[:, None] * 1024 + rows[None, :])  # hit: triton-strided-lanes
    tl.store(y_ptr + rows[:, None] * 1024 + rows[None, :], shared)  # hit: triton-strided-lanes


def run(x, y):
    too_big[(1,)](x, y)  # hit: triton-much-work-per-thread
