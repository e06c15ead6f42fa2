"""The kernels of the measurements that were added later, while the time model stayed as it was.

`LATER_WORKLOADS` is as `WORKLOADS` of published_kernels.py. Arrays of published sizes are not filled, only
reserved: of large grids a sample of blocks is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, float64
from published_kernels import Launched

_STREAM = 128 * 1024 * 1024 + 2
# A float64 array of so many elements lets two blocks on a multiprocessor when shared memory is set to 16 KiB.
_HELD = 768


@cuda.jit
def stream_init(a, b, n, never):
    held = cuda.shared.array(_HELD, float64)
    i = cuda.grid(1)
    if i >= n:
        return
    if never:
        held[cuda.threadIdx.x] = b[cuda.threadIdx.x]
    a[i] = 0.23
    if never:
        a[i] = held[i]


@cuda.jit
def stream_read(a, b, n, never):
    held = cuda.shared.array(_HELD, float64)
    i = cuda.grid(1)
    if i >= n:
        return
    if never:
        held[cuda.threadIdx.x] = b[cuda.threadIdx.x]
    value = b[i]
    if never or value == 123.0:
        a[i] = value + held[i]


@cuda.jit
def stream_triad(a, b, c, n, never):
    held = cuda.shared.array(_HELD, float64)
    i = cuda.grid(1)
    if i >= n:
        return
    if never:
        held[cuda.threadIdx.x] = b[cuda.threadIdx.x]
    a[i] = b[i] * 1.2 + c[i]
    if never:
        a[i] = held[i]


@cuda.jit
def stream_stencil(a, b, n, never):
    held = cuda.shared.array(_HELD, float64)
    i = cuda.grid(1)
    if i >= n - 2 or i < 2:
        return
    if never:
        held[cuda.threadIdx.x] = b[cuda.threadIdx.x]
    a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2]
    if never:
        a[i] = held[i]


_STREAMS = {
    "init": stream_init, "read": stream_read, "triad": stream_triad, "stencil5": stream_stencil,
}  # fmt: skip


def occupancy_sweep() -> dict[str, Launched]:
    """Streams of 128 Mi float64, one element a thread, two blocks a multiprocessor: 2, 8 and 32 warps."""
    a, b, c = (_reserved(_STREAM, "float64") for _ in range(3))
    arrays = {"triad": (a, b, c)}
    return {
        f"{name}_{block}": (kernel, _STREAM // block + 1, block, (*arrays.get(name, (a, b)), _STREAM, False))
        for name, kernel in _STREAMS.items()
        for block in (32, 128, 512)
    }


def _reserved(count: int, dtype: str) -> Any:
    """An array of the device with zeros, whose pages are not touched here."""
    return cuda.device_array(count, np.dtype(dtype))


LATER_WORKLOADS: dict[str, Callable[[], dict[str, Launched]]] = {
    one.__name__: one for one in (occupancy_sweep,)
}
