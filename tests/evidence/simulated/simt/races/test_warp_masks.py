"""Shuffles and votes under masks without the lane itself, and broadcasts from lanes that are not there."""

from __future__ import annotations

import numpy as np
import pytest
from numba import cuda, int32
from numba_launch import compiled

from advisor.evidence.simulated.simt.vector.layout import Defect


def upper_half_with_the_mask_of_the_lower(x):
    t = cuda.threadIdx.x
    if t >= 16:
        x[t] = cuda.shfl_down_sync(0x0000FFFF, x[t], 1)


def ballot_without_lane_0(x):
    t = cuda.threadIdx.x
    x[t] = cuda.ballot_sync(0xFFFFFFFE, x[t] > 3)


def lane_0_for_the_upper_half(x):
    t = cuda.threadIdx.x
    if t >= 16:
        x[t] = cuda.shfl_sync(0xFFFF0000, x[t], 0)


def the_last_lane_of_every_warp(x):
    t = cuda.threadIdx.x
    x[t] = cuda.shfl_sync(0xFFFFFFFF, x[t], 31)


def sum_of_a_warp(x):
    t = cuda.threadIdx.x
    value, step = x[t], 16
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    x[t] = cuda.shfl_sync(0xFFFFFFFF, value, 0)


def halves_with_their_masks(x):
    t = cuda.threadIdx.x
    if t % 32 < 16:
        x[t] = cuda.shfl_sync(0x0000FFFF, x[t], 3)
    else:
        x[t] = cuda.shfl_sync(0xFFFF0000, x[t], 19)


def sum_of_the_lower_half(x):
    t = cuda.threadIdx.x
    if t % 32 < 16:
        value, step = x[t], 8
        while step > 0:
            value += cuda.shfl_down_sync(0x0000FFFF, value, step)
            step //= 2
        x[t] = value


def left_neighbour_but_for_the_first(x):
    t = cuda.threadIdx.x
    left = cuda.shfl_sync(0xFFFFFFFF, x[t], t - 1)
    if t > 0:
        x[t] = left


def kinds(function, threads) -> dict[int, set[int]]:
    """The threads of each kind of defect."""
    execution = compiled(function, int32[::1]).launch(1, threads, np.arange(threads, dtype=np.int32))
    found: dict[int, set[int]] = {}
    for one in execution.defects:
        found.setdefault(one.kind, set()).add(one.thread)
    return found


@pytest.mark.parametrize(
    ("function", "threads", "expected"),
    [
        (upper_half_with_the_mask_of_the_lower, 32, {Defect.OUTSIDE_MASK: set(range(16, 32))}),
        (ballot_without_lane_0, 64, {Defect.OUTSIDE_MASK: {0, 32}}),
        (lane_0_for_the_upper_half, 32, {Defect.ABSENT_LANE: set(range(16, 32))}),
        (the_last_lane_of_every_warp, 40, {Defect.ABSENT_LANE: set(range(32, 40))}),
    ],
)
def test_undefined_exchanges_name_their_threads(function, threads, expected):
    assert kinds(function, threads) == expected


@pytest.mark.parametrize(
    ("function", "threads"),
    [
        (sum_of_a_warp, 64),
        (halves_with_their_masks, 64),
        (sum_of_the_lower_half, 64),
        (left_neighbour_but_for_the_first, 40),
    ],
)
def test_lanes_with_their_masks_are_left_alone(function, threads):
    assert kinds(function, threads) == {}
