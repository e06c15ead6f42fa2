"""Races of warps in shared memory: a reader is remembered until the next barrier, whoever reads after it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from numba import cuda, float32
from numba_launch import compiled

from advisor.evidence.simulated.simt.machine import Settings
from advisor.evidence.simulated.simt.vector.layout import Defect

DETAILED = Settings(detailed_lanes=1 << 60)


def loop_without_barrier(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]  # race
        half //= 2
    if t == 0:
        out[0] = tile[0]


def two_steps_without_barrier(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    if t < 128:
        tile[t] += tile[t + 128]  # race
    if t < 64:
        tile[t] += tile[t + 64]
    out[t] = tile[t]


def barrier_behind_the_loop(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]  # race
        half //= 2
    cuda.syncthreads()
    out[t] = tile[t]


def two_warps_read_and_one_of_them_writes(x, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if t < 32:
        tile[t] = x[t]
    cuda.syncthreads()
    out[t] = tile[t % 32]
    if t >= 224:
        tile[t - 224] = t  # race


def reduction(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = tile[0]


def last_warp_without_barriers(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    half = 128
    while half >= 32:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t < 32:
        half = 16
        while half > 0:
            if t < half:
                tile[t] += tile[t + half]
            cuda.syncwarp()
            half //= 2
        if t == 0:
            out[0] = tile[0]


def read_by_all_then_written_behind_a_barrier(x, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if t < 32:
        tile[t] = x[t]
    cuda.syncthreads()
    out[t] = tile[t % 32]
    cuda.syncthreads()
    if t >= 224:
        tile[t - 224] = t
    cuda.syncthreads()
    out[t] += tile[t % 32]


def each_warp_its_own_part(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncwarp()
    tile[t] += tile[t ^ 1]
    cuda.syncwarp()
    out[t] = tile[t]


def counted_by_atomics(x, out):
    tile = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    if t < 8:
        tile[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(tile, t % 8, x[t])
    cuda.syncthreads()
    if t < 8:
        out[t] = tile[t]


def races(kernel) -> list[str]:
    """The lines on which races were noted, in the kernel's order."""
    ready = compiled(kernel, float32[::1], float32[::1])
    x = np.arange(1, 257, dtype=np.float32)
    execution = ready.launch(1, 256, x, np.zeros(256, np.float32), settings=DETAILED)
    by_number = {one.number: one.instruction for one in ready.kernel.warp.accesses.values()}
    source, first = inspect.getsourcelines(kernel)
    items = ready.kernel.function.instructions
    lines = {items[by_number[one.access]].location.outermost.line for one in execution.defects}
    assert {one.kind for one in execution.defects} <= {Defect.RACE}
    return [source[line - first].strip() for line in sorted(lines)]


@pytest.mark.parametrize(
    "kernel",
    [
        loop_without_barrier,
        two_steps_without_barrier,
        barrier_behind_the_loop,
        two_warps_read_and_one_of_them_writes,
    ],
)
def test_a_store_to_what_another_warp_has_read(kernel):
    assert [line for line in races(kernel) if line.endswith("# race")]


@pytest.mark.parametrize(
    "kernel",
    [
        reduction,
        last_warp_without_barriers,
        read_by_all_then_written_behind_a_barrier,
        each_warp_its_own_part,
        counted_by_atomics,
    ],
)
def test_no_race_where_barriers_are(kernel):
    assert races(kernel) == []
