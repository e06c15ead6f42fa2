"""Shuffles and votes under masks without the lane itself, and what is done with values of absent lanes."""

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
        if t % 32 == 0:
            x[t] = value


def sums_of_eight_down(x):
    t = cuda.threadIdx.x
    value, step = x[t], 4
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    x[t] = value


def sums_of_pairs(x):
    t = cuda.threadIdx.x
    x[t] += cuda.shfl_xor_sync(0xFFFFFFFF, x[t], 1)


def lower_neighbour_of_the_upper_half(x):
    t = cuda.threadIdx.x
    if t >= 16:
        x[t] = cuda.shfl_up_sync(0xFFFF0000, x[t], 1)


def next_of_those_who_run(x):
    t = cuda.threadIdx.x
    if t < 16:
        x[t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 8)


def next_after_some_left(x):
    t = cuda.threadIdx.x
    if t >= 20:
        return
    x[t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1)


def branches_on_the_next(x):
    t = cuda.threadIdx.x
    if cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1) > 3:
        x[t] = 0
        cuda.syncwarp()


def index_of_the_next(x):
    t = cuda.threadIdx.x
    x[cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1)] = 5


def next_where_there_is_one(x):
    t = cuda.threadIdx.x
    following = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1)
    if t + 1 < cuda.blockDim.x:
        x[t] += following


def greater_of_both_where_there_are(x):
    t = cuda.threadIdx.x
    following = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1)
    if t + 1 < cuda.blockDim.x and following > x[t]:
        x[t] = following


def left_neighbour_but_for_the_first(x):
    t = cuda.threadIdx.x
    left = cuda.shfl_sync(0xFFFFFFFF, x[t], t - 1)
    if t % 32 > 0:
        x[t] = left


def left_neighbour_of_the_whole_block(x):
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
        # Thread 33 takes lane 2, which took lane 4, which took lane 8, and so do those behind it.
        (sums_of_eight_down, 40, {Defect.ABSENT_LANE: set(range(33, 40))}),
        (sums_of_pairs, 33, {Defect.ABSENT_LANE: {32}}),
        (lower_neighbour_of_the_upper_half, 32, {Defect.ABSENT_LANE: {16}}),
        (next_of_those_who_run, 32, {Defect.ABSENT_LANE: set(range(8, 16))}),
        (next_after_some_left, 32, {Defect.ABSENT_LANE: {19}}),
        (branches_on_the_next, 40, {Defect.ABSENT_LANE: {39}}),
        (index_of_the_next, 40, {Defect.ABSENT_LANE: {39}}),
        # Lane 0 of the second warp asks for lane 31, behind the last thread.
        (left_neighbour_of_the_whole_block, 40, {Defect.ABSENT_LANE: {32}}),
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
        (sums_of_eight_down, 64),
        (next_where_there_is_one, 40),
        (greater_of_both_where_there_are, 40),
        (left_neighbour_but_for_the_first, 40),
    ],
)
def test_lanes_with_their_masks_are_left_alone(function, threads):
    assert kinds(function, threads) == {}
