"""Streams of arrays, added later: occupancy, block sizes, rows of a thread, chained links, constant memory.

Arrays of published sizes are reserved, not filled, where values do not matter: of large grids a sample of
blocks is run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda, float32, float64, uint64
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
    a, b, c = (reserved(_STREAM, "float64") for _ in range(3))
    arrays = {"triad": (a, b, c)}
    return {
        f"{name}_{block}": (kernel, _STREAM // block + 1, block, (*arrays.get(name, (a, b)), _STREAM, False))
        for name, kernel in _STREAMS.items()
        for block in (32, 128, 512)
    }


def reserved(count: int, dtype: str = "float32") -> Any:
    """An array of the device with zeros, whose pages are not touched here."""
    return cuda.device_array(count, np.dtype(dtype))


@cuda.jit
def add_arrays(a, b, c, n):
    i = cuda.grid(1)
    if i < n:
        c[i] = a[i] + b[i]


def block_sizes_of_adds() -> dict[str, Launched]:
    """c = a + b of 8 x 1024 x 768 float32, one element a thread."""
    count = 8 * 1024 * 768
    arrays = (*(reserved(count) for _ in range(3)), count)
    return {
        f"one_element_{block}": (add_arrays, -(-count // block), block, arrays)
        for block in (32, 64, 128, 256, 512, 1024)
    }


@cuda.jit
def warp_a_column(matrix, sums, rows, columns):
    lane = cuda.threadIdx.x & 31
    column = cuda.blockIdx.x * (cuda.blockDim.x >> 5) + (cuda.threadIdx.x >> 5)
    if column >= columns:
        return
    total = float32(0.0)
    for row in range(lane, rows, 32):
        total += matrix[row * columns + column]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, step)
    if lane == 0:
        sums[column] += total


def _lane_a_column(block: int) -> Any:
    @cuda.jit
    def lane_a_column(matrix, sums, rows, columns):
        held = cuda.shared.array(block, float32)
        lane, warp = cuda.threadIdx.x & 31, cuda.threadIdx.x >> 5
        warps = cuda.blockDim.x >> 5
        column = cuda.blockIdx.x * 32 + lane
        total = float32(0.0)
        for row in range(warp, rows, warps):
            total += matrix[row * columns + column]
        held[lane + warp * 32] = total
        cuda.syncthreads()
        if warp == 0:
            total = float32(0.0)
            for other in range(warps):
                total += held[lane + other * 32]
            sums[column] += total

    return lane_a_column


def block_sizes_of_column_sums() -> dict[str, Launched]:
    """Column sums of 8192 x 3072 float32: a warp a column, and a lane a column."""
    rows, columns = 8192, 3072
    arrays = (reserved(rows * columns), reserved(columns), rows, columns)
    found: dict[str, Launched] = {}
    for block in (32, 128, 512):
        found[f"warp_a_column_{block}"] = (warp_a_column, columns * 32 // block, block, arrays)
        found[f"lane_a_column_{block}"] = (_lane_a_column(block), columns // 32, block, arrays)
    return found


@cuda.jit
def read_coalesced(data, n):
    i = cuda.grid(1)
    total = float32(0.0)
    for row in range(16):
        total += data[row * n + i]
    data[i] = total


@cuda.jit
def write_coalesced(data, n):
    i = cuda.grid(1)
    for row in range(16):
        data[row * n + i] = float32(i)


@cuda.jit
def read_rows(data):
    i = cuda.grid(1)
    total = float32(0.0)
    for column in range(16):
        total += data[i * 16 + column]
    data[i] = total


@cuda.jit
def write_rows(data):
    i = cuda.grid(1)
    for column in range(16):
        data[i * 16 + column] = float32(i)


def rows_of_a_thread() -> dict[str, Launched]:
    """1 GiB of float32, 16 elements a thread: side by side across lanes, or 64 bytes of each lane."""
    count = 1 << 24
    data = reserved(16 * count)
    return {
        "read_coalesced": (read_coalesced, count // 64, 64, (data, count)),
        "write_coalesced": (write_coalesced, count // 64, 64, (data, count)),
        "read_rows": (read_rows, count // 64, 64, (data,)),
        "write_rows": (write_rows, count // 64, 64, (data,)),
    }


@cuda.jit
def follow(links, steps, ends):
    at = uint64(0)
    for _ in range(steps):
        at = links[at]
    if cuda.grid(1) > 12313:
        ends[0] = at


# Steps: several times round the buffers in L1 and L2, in DRAM no link twice. The data files have them too.
CHASED = {"l1": 1 << 15, "l2": 1 << 17, "dram": 1 << 15}


def _chase(sizes: dict[str, int]) -> dict[str, Launched]:
    found: dict[str, Launched] = {}
    for name, kilobytes in sizes.items():
        places = kilobytes * 1024 // 64
        order = np.random.default_rng(0).permutation(places).astype(np.uint64)
        links = np.zeros(places * 8, np.uint64)
        links[order * np.uint64(8)] = np.roll(order, -1) * np.uint64(8)
        arrays = (cuda.to_device(links), CHASED[name], reserved(1, "uint64"))
        found[name] = (follow, 1, 64, arrays)
    return found


def pointer_chase_v100() -> dict[str, Launched]:
    """A block of 64 threads that all follow one chain of links in random order, one in 64 bytes."""
    return _chase({"l1": 30, "l2": 1664, "dram": 206_295})


def pointer_chase_l40() -> dict[str, Launched]:
    """The same with buffers for a larger L2."""
    return _chase({"l1": 31, "l2": 1667, "dram": 702_466})


_VALUES = np.arange(16_384, dtype=np.int32)


@cuda.jit
def constant_of_block(source, target, n):
    values = cuda.const.array_like(_VALUES)
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.blockIdx.x & 16383]


@cuda.jit
def constant_of_warp(source, target, n):
    values = cuda.const.array_like(_VALUES)
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.threadIdx.x >> 5]


@cuda.jit
def constant_of_thread(source, target, n):
    values = cuda.const.array_like(_VALUES)
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.threadIdx.x]


@cuda.jit
def constant_at_random(source, target, n):
    values = cuda.const.array_like(_VALUES)
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.threadIdx.x * 1357 & 16383]


@cuda.jit
def global_of_block(source, target, values, n):
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.blockIdx.x & 16383]


@cuda.jit
def global_of_warp(source, target, values, n):
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.threadIdx.x >> 5]


@cuda.jit
def global_of_thread(source, target, values, n):
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.threadIdx.x]


@cuda.jit
def global_at_random(source, target, values, n):
    i = cuda.grid(1)
    if i < n:
        target[i] = source[i] + values[cuda.threadIdx.x * 1357 & 16383]


def constant_memory() -> dict[str, Launched]:
    """An addend from 64 KiB of constant or global memory: that of the block, warp, thread, or at random."""
    count, values = 12_800_000, cuda.to_device(_VALUES)
    arrays = (reserved(count, "int32"), reserved(count, "int32"))
    constants = {
        "block": constant_of_block, "warp": constant_of_warp, "thread": constant_of_thread,
        "random": constant_at_random,
    }  # fmt: skip
    globals_ = {
        "block": global_of_block, "warp": global_of_warp, "thread": global_of_thread,
        "random": global_at_random,
    }  # fmt: skip
    found: dict[str, Launched] = {}
    for name, kernel in constants.items():
        found[f"constant_{name}_large"] = (kernel, count // 1024, 1024, (*arrays, count))
    for name, kernel in globals_.items():
        found[f"global_{name}_large"] = (kernel, count // 1024, 1024, (*arrays, values, count))
    return found
