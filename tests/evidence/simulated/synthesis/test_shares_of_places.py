"""How large a part of the kernel's requests and sectors is made at each place of it, computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from numba import cuda, float32, int32
from requests_of_functions import along, extent, request_of

from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.program.index_relations.relations import IndexRelations

ONE_AXIS = IndexRelations(equal=(along(0, extent("x"), extent("out")),))


def accesses(found: Synthesis, array: str, kind: str = "load") -> list[LineCounts]:
    """The counts of the lines with such accesses of an array, in the order of the lines."""
    assert found.unknown == ""
    lines = (one for one in found.lines if (one.entity, one.array, one.kind) == ("access", array, kind))
    return sorted(lines, key=lambda one: one.line)


def part(of: LineCounts, metric: str) -> tuple[float, float]:
    least = of.values[metric]
    assert isinstance(least, float)
    return least, of.most.get(metric, least)


def test_a_place_that_few_lanes_reach_has_what_the_others_leave():
    def first_of_each_warp(x, out):
        i = cuda.grid(1)
        if i < out.size:
            total = x[i]
            if cuda.threadIdx.x % 32 == 0:
                total += x[0] * float32(3)
            out[i] = total

    found = synthesise(request_of(first_of_each_warp, float32[::1], float32[::1], relations=ONE_AXIS))
    all_lanes, one_lane = accesses(found, "x")
    (stored,) = accesses(found, "out", "store")
    # Each warp asks three times, for four sectors, one and four.
    assert part(all_lanes, "request_share") == part(stored, "request_share") == pytest.approx((1 / 3, 1 / 3))
    assert part(all_lanes, "sector_share") == part(stored, "sector_share") == pytest.approx((4 / 9, 4 / 9))
    assert part(one_lane, "request_share") == pytest.approx((0.0, 1 / 3))
    assert part(one_lane, "sector_share") == pytest.approx((0.0, 1 / 9))


def test_where_data_decides_the_made_up_data_say_nothing_of_a_place():
    def large_ones(x, out):
        i = cuda.grid(1)
        if i < out.size:
            total = x[i]
            if total > 1e30:
                total += x[0] * float32(3)
            out[i] = total

    request = request_of(large_ones, float32[::1], float32[::1], relations=ONE_AXIS)
    _, rare = accesses(synthesise(request), "x")
    assert "request_share" in rare.values
    branch = request.places[0][0], rare.line - 1
    decided = replace(request, relations=replace(ONE_AXIS, data_branches=frozenset({branch})))
    assert all("request_share" not in one.values for one in accesses(synthesise(decided), "x")[1:])


def test_a_place_that_no_lane_reaches_has_nothing():
    def beyond(x, out):
        i = cuda.grid(1)
        if i < out.size:
            total = x[i]
            if i > 2_000_000_000:
                total += x[0] * float32(3)
            out[i] = total

    found = synthesise(request_of(beyond, float32[::1], float32[::1], relations=ONE_AXIS))
    _, never = accesses(found, "x")
    assert part(never, "sector_share") == pytest.approx((0.0, 0.0))


def test_parts_of_a_loop_over_data_are_not_known():
    def as_many_as_rows(x, rows, out):
        i = cuda.grid(1)
        if i < out.size:
            total = x[i]
            for k in range(rows.size):
                total += rows[k]
            out[i] = total

    found = synthesise(
        request_of(as_many_as_rows, float32[::1], int32[::1], float32[::1], relations=ONE_AXIS)
    )
    (once,), (again,) = accesses(found, "x"), accesses(found, "rows")
    assert "sector_share" not in once.values
    assert "sector_share" not in again.values


def test_where_rows_begin_within_sectors_the_parts_lie_between_two():
    rows = IndexRelations(equal=tuple(along(axis, extent("x", axis), extent("out", axis)) for axis in (0, 1)))

    def down(x, out):
        j, i = cuda.threadIdx.x % 8, cuda.threadIdx.x // 8
        i += cuda.blockIdx.x * (cuda.blockDim.x // 8)
        j += cuda.blockIdx.y * 8
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = x[i, j]

    found = synthesise(request_of(down, float32[:, ::1], float32[:, ::1], relations=rows))
    (loaded,), (stored,) = accesses(found, "x"), accesses(found, "out", "store")
    for one in (loaded, stored):
        assert part(one, "request_share") == pytest.approx((0.5, 0.5))
        least, most = part(one, "sector_share")
        assert least <= 0.5 <= most
