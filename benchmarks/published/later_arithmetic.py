"""Arithmetic, added later: float32, float64 and integers, few warps, float64 constants in float32 code."""

from __future__ import annotations

import math
from typing import Any

from later_streams import reserved
from numba import cuda, float32, float64, int32, int64
from published_kernels import Launched


@cuda.jit
def fma_fp32(data):
    x, y = float32(cuda.grid(1)), float32(cuda.threadIdx.x)
    for _ in range(512):
        x = y * x + y
        y = x * y + x
    data[cuda.grid(1)] = y


@cuda.jit
def fma_fp64(data):
    x, y = float64(cuda.grid(1)), float64(cuda.threadIdx.x)
    for _ in range(128):
        x = y * x + y
        y = x * y + x
    data[cuda.grid(1)] = float32(y)


@cuda.jit
def mad_int32(data):
    x, y = int32(cuda.grid(1)), int32(cuda.threadIdx.x)
    for _ in range(512):
        x = int32(y * x + y)
        y = int32(x * y + x)
    data[cuda.grid(1)] = float32(y)


@cuda.jit
def mad_int64(data):
    x, y = int64(cuda.grid(1)), int64(cuda.threadIdx.x)
    for _ in range(8):
        x = y * x + y
        y = x * y + x
    data[cuda.grid(1)] = float32(int32(y))


def arithmetic_by_type() -> dict[str, Launched]:
    """Dependent multiply-adds of 2**24 threads in blocks of 64."""
    count = 1 << 24
    kernels = {"fma_fp32": fma_fp32, "fma_fp64": fma_fp64, "mad_int32": mad_int32, "mad_int64": mad_int64}
    data = reserved(count)
    return {name: (kernel, count // 64, 64, (data,)) for name, kernel in kernels.items()}


def _chains(chains: int) -> Any:
    @cuda.jit
    def one_chain(target, start, runs):
        for run in range(runs):
            a = start + cuda.threadIdx.x + run
            for _ in range(128):
                a = a * 0.9 + 0.5
            if a > 22313.0:
                target[0] = a

    @cuda.jit
    def two_chains(target, start, runs):
        for run in range(runs):
            a = start + cuda.threadIdx.x + run
            b = a + 1.0
            for _ in range(64):
                a = a * 0.9 + 0.5
                b = b * 0.9 + 0.5
            if a > 22313.0:
                target[0] = a
            if b > 22313.0:
                target[0] = b

    return {1: one_chain, 2: two_chains}[chains]


def few_warps() -> dict[str, Launched]:
    """100 times 128 multiply-adds of float64 by each thread of one block, in one chain or in two."""
    target = reserved(1, "float64")
    return {
        f"dfma_warps{warps}_chains{chains}": (_chains(chains), 1, 32 * warps, (target, 0.32, 100))
        for warps in (1, 4, 8, 32)
        for chains in (1, 2)
    }


@cuda.jit
def float64_constants(x, y, z, out, n):
    i = cuda.grid(1)
    if i < n:
        inner = x[i] * x[i] - 2.0 * x[i] * y[i] + 4.0 * z[i] * z[i] + y[i] * y[i]
        out[i] = 0.5 * (x[i] + y[i] - math.sqrt(max(0.0, inner)))


@cuda.jit
def float32_constants(x, y, z, out, n):
    i = cuda.grid(1)
    if i < n:
        two, four, zero, half = float32(2.0), float32(4.0), float32(0.0), float32(0.5)
        inner = x[i] * x[i] - two * x[i] * y[i] + four * z[i] * z[i] + y[i] * y[i]
        out[i] = half * (x[i] + y[i] - math.sqrt(max(zero, inner)))


def constants_of_float64() -> dict[str, Launched]:
    """An elementwise formula of 4048 x 4048 float32 with float64 constants and without."""
    count = 4048 * 4048
    arrays = (*(reserved(count) for _ in range(4)), count)
    kernels = {"numba_float64_constants": float64_constants, "cupy_float32": float32_constants}
    return {name: (kernel, -(-count // 256), 256, arrays) for name, kernel in kernels.items()}
