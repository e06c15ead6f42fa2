"""Kernels whose lanes choose between memories, run between guard pages in a process of their own.

Prints a line of JSON for each case; its test reads them.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from guarded_memory import guarded
from numba import cuda, float32, int64
from numba_launch import Compiled
from numba_launch import compiled as compiled_again

from advisor.evidence.simulated.simt.machine import CacheSizes, Execution, Settings

DETAILED = Settings(detailed_lanes=1 << 60, caches=CacheSizes(l1=1 << 14, l2=1 << 18, processors=2))
WAYS = {"fast": Settings(), "detailed": DETAILED, "two threads": Settings(threads=2)}
SIZES = (32, 1024, 65536)
compiled: Callable[..., Compiled] = functools.cache(compiled_again)
_CASES: dict[str, Callable[[int, Settings], dict[str, Any]]] = {}


def case(function: Callable[[int, Settings], dict[str, Any]]) -> Callable[[int, Settings], dict[str, Any]]:
    """Nothing changed; enters a case under the name of its function."""
    _CASES[function.__name__] = function
    return function


def counts(execution: Execution) -> dict[str, Any]:
    """What a test compares."""
    return {
        "defects": execution.defect_count,
        "loaded": execution.loaded_sectors,
        "stored": execution.stored_sectors,
    }


def either(a, b, out):
    i = cuda.grid(1)
    source = a if i % 2 else b
    out[i] = source[i]


@case
def loads_from_either_array(n: int, settings: Settings) -> dict[str, Any]:
    a, b, out = np.ones(n, np.float32), np.zeros(n, np.float32), np.full(n, 7, np.float32)
    execution = compiled(either, *[float32[::1]] * 3).launch(n // 32, 32, a, b, out, settings=settings)
    return {"right": bool((out == np.arange(n) % 2).all()), **counts(execution)}


def into_either(a, b, values):
    i = cuda.grid(1)
    target = a if i % 2 else b
    target[i] = values[i]


@case
def stores_to_either_array(n: int, settings: Settings) -> dict[str, Any]:
    a, b, values = np.zeros(n, np.float32), np.zeros(n, np.float32), np.arange(1, n + 1, dtype=np.float32)
    execution = compiled(into_either, *[float32[::1]] * 3).launch(
        n // 32, 32, a, b, values, settings=settings
    )
    odd = np.arange(n) % 2 == 1
    right = (a == np.where(odd, values, 0)).all() and (b == np.where(odd, 0, values)).all()
    return {"right": bool(right), **counts(execution)}


def add_to_either(a, b, values):
    i = cuda.grid(1)
    target = a if i % 3 else b
    cuda.atomic.add(target, i % 5, values[i])


@case
def atomics_on_either_array(n: int, settings: Settings) -> dict[str, Any]:
    a, b, values = np.zeros(8, np.int64), np.zeros(8, np.int64), np.ones(n, np.int64)
    execution = compiled(add_to_either, *[int64[::1]] * 3).launch(
        n // 32, 32, a, b, values, settings=settings
    )
    i = np.arange(n)
    expected = [np.bincount(i[chosen] % 5, minlength=8) for chosen in (i % 3 != 0, i % 3 == 0)]
    return {"right": bool((a == expected[0]).all() and (b == expected[1]).all()), **counts(execution)}


def three_memories(a, out):
    tile = cuda.shared.array(32, float32)
    own = cuda.local.array(4, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    tile[t] = 100 + t
    for k in range(4):
        own[k] = 200 + t
    cuda.syncthreads()
    source = a
    if i % 3 == 1:
        source = tile
    if i % 3 == 2:
        source = own
    out[i] = source[t % 4 if i % 3 == 2 else t]


@case
def loads_from_global_shared_and_local_memory(n: int, settings: Settings) -> dict[str, Any]:
    a, out = np.arange(32, dtype=np.float32), np.zeros(n, np.float32)
    kernel = compiled(three_memories, *[float32[:]] * 2)
    execution = kernel.launch(n // 32, 32, a, out, settings=settings)
    i = np.arange(n)
    expected = np.choose(i % 3, [i % 32, 100 + i % 32, 200 + i % 32])
    return {"right": bool((out == expected).all()), **counts(execution)}


def three_targets(a, out):
    tile = cuda.shared.array(32, float32)
    own = cuda.local.array(32, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    tile[t] = 0
    own[t] = 0
    cuda.syncthreads()
    target = a
    if i % 3 == 1:
        target = tile
    if i % 3 == 2:
        target = own
    target[t] = 1 + t
    cuda.syncthreads()
    out[i] = tile[t] + 2 * own[t]


@case
def stores_to_global_shared_and_local_memory(n: int, settings: Settings) -> dict[str, Any]:
    a, out = np.zeros(32, np.float32), np.zeros(n, np.float32)
    kernel = compiled(three_targets, *[float32[:]] * 2)
    execution = kernel.launch(n // 32, 32, a, out, settings=settings)
    i = np.arange(n)
    expected = (1 + i % 32) * (i % 3)
    return {"right": bool((out == expected).all()), **counts(execution)}


def runs() -> Iterator[tuple[str, int, str, Settings]]:
    """Each case in each way at each size."""
    for name in _CASES:
        for n in SIZES:
            for way, settings in WAYS.items():
                yield name, n, way, settings


if __name__ == "__main__":
    with guarded() as memory:
        for name, n, way, settings in runs():
            found = _CASES[name](n, settings)
            found["violations"] = memory.violations()
            print(json.dumps({"case": name, "n": n, "way": way, **found}), flush=True)
    sys.exit(0)
