"""Kernels that each ask one question of a GPU, for `record_device.py`: what does this access cost?

Each entry of `ENTRIES` is a function of this module that launches one kernel once, in one variant. What they
need on the device is made at the first call and kept, so that later calls are launches only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numba import cuda, float32

THREADS = 256
ELEMENTS = 1 << 20
STREAMED = 1 << 24
ROUNDS = 128
CHASES = 16384
LINE = 32  # elements of four bytes in a cache line of 128 bytes
CHASED_BYTES = {"l1": 16 << 10, "l2": 512 << 10, "dram": 256 << 20}


@cuda.jit
def strided_load(x, out, stride):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i * stride]


@cuda.jit
def banked_load(out, ways):
    tile = cuda.shared.array(1024, float32)
    i = cuda.grid(1)
    lane = cuda.threadIdx.x & 31
    for k in range(cuda.threadIdx.x, 1024, cuda.blockDim.x):
        tile[k] = k
    cuda.syncthreads()
    total = float32(0.0)
    for k in range(ROUNDS):
        total += tile[(lane * ways + k) & 1023]
    out[i] = total


@cuda.jit
def divided_warp(out, lanes):
    i = cuda.grid(1)
    value = float32(i)
    if (cuda.threadIdx.x & 31) < lanes:
        for _ in range(ROUNDS):
            value = value * float32(0.5) + float32(1.0)
    out[i] = value


@cuda.jit
def multiply_add(x, out):
    i = cuda.grid(1)
    value = x[i]
    for _ in range(ROUNDS):
        value = value * value + value
    out[i] = value


@cuda.jit
def atomic_add(out, spread):
    i = cuda.grid(1)
    cuda.atomic.add(out, i * spread % out.size, float32(1.0))


@cuda.jit
def pointer_chase(chain, out):
    at = 0
    for _ in range(CHASES):
        at = chain[at]
    out[0] = at


@cuda.jit
def stream_copy(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@cache
def filled(count: int, kind: str = "float32", use: str = "in") -> Any:
    """An array on the device, another one for each use."""
    del use
    return cuda.to_device(np.ones(count, kind))


@cache
def chain_of(size: int) -> Any:
    """A cycle through all cache lines of `size` bytes in random order, as indices of int32 elements."""
    lines = size // 4 // LINE
    order = np.random.default_rng(5).permutation(lines)
    chain = np.zeros(lines * LINE, np.int32)
    chain[order * LINE] = np.roll(order, -1) * LINE
    return cuda.to_device(chain)


def _strided(stride: int) -> None:
    x, out = filled(ELEMENTS * 32), filled(ELEMENTS, use="out")
    strided_load[ELEMENTS // THREADS, THREADS](x, out, stride)


def _banked(ways: int) -> None:
    banked_load[1024, THREADS](filled(1024 * THREADS, use="out"), ways)


def _divided(lanes: int) -> None:
    divided_warp[1024, THREADS](filled(1024 * THREADS, use="out"), lanes)


def _multiplied(kind: str) -> None:
    count = 1024 * THREADS
    multiply_add[1024, THREADS](filled(count, kind), filled(count, kind, "out"))


def _atomic(spread: int, elements: int) -> None:
    atomic_add[256, THREADS](filled(elements, use="sum"), spread)


def _chased(level: str) -> None:
    pointer_chase[1, 1](chain_of(CHASED_BYTES[level]), filled(1, "int32", "out"))


def _streamed() -> None:
    stream_copy[STREAMED // THREADS, THREADS](filled(STREAMED), filled(STREAMED, use="out"))


ENTRIES: dict[str, Callable[[], None]] = {
    **{f"stride_{one}": partial(_strided, one) for one in (1, 2, 4, 8, 16, 32)},
    **{f"banks_{one}_ways": partial(_banked, one) for one in (1, 2, 4, 8, 16, 32)},
    **{f"divergence_{one}_lanes": partial(_divided, one) for one in (1, 2, 4, 8, 16, 32)},
    "multiply_add_fp32": partial(_multiplied, "float32"),
    "multiply_add_fp64": partial(_multiplied, "float64"),
    "atomics_one_element": partial(_atomic, 0, 1),
    "atomics_one_of_many": partial(_atomic, 0, 256 * THREADS),
    "atomics_own_element": partial(_atomic, 1, 256 * THREADS),
    **{f"pointer_chase_{one}": partial(_chased, one) for one in CHASED_BYTES},
    "streaming": _streamed,
}
globals().update(ENTRIES)
