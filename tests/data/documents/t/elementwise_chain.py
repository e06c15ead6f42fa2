"""A chain of elementwise operations, each a kernel of its own."""

import cupy as cp


def elementwise(steps):
    x = cp.ones(1 << 20, dtype=cp.float32)
    for _ in range(steps):
        x = cp.exp(x) * 2 + cp.sin(x) - 1  # hit: elementwise-chain
    return x
