"""What a mean block of a launch that is made up asks for, and how large a part at which place, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import cuda, float32, int32
from requests_of_functions import along, extent, request_of

from advisor.evidence.simulated.synthesis.processes.messages import from_bytes, to_bytes
from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.program.index_relations.relations import IndexRelations

ONE_AXIS = IndexRelations(equal=(along(0, extent("x"), extent("out")),))


def work_of(function, *types, relations=ONE_AXIS):
    """The work of a mean block of the launch with round sizes: blocks of 256 threads, eight warps."""
    found = synthesise(request_of(function, *types, relations=relations))
    assert found.unknown == ""
    # Small blocks, which are looked at where none is known, have a time of their own.
    assert {one["block_threads"] for one in found.work} == {256.0}
    return found.work[0]


def test_a_copy():
    def copied(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i]

    work = work_of(copied, float32[::1], float32[::1])
    # Each warp loads and stores a line of four sectors, all of which come from DRAM.
    assert (work["load_requests"], work["memory_requests"]) == (8.0, 16.0)
    assert (work["load_sectors"], work["l1_sectors"], work["load_lines"], work["store_lines"]) == (
        32,
        64,
        8,
        8,
    )
    assert work["least_l2_sectors"] == work["most_l2_sectors"] == 64.0
    assert work["least_dram_bytes"] == work["most_dram_bytes"] == 64 * 32.0
    assert (work["block_threads"], work["warp_execution_efficiency"], work["warp_balance"]) == (256, 1, 1)
    assert work["blocks_alike"] == 1.0


def test_blocks_beyond_the_data_are_seen():
    def tens(x, out):
        for i in range(10 * cuda.grid(1), 10 * cuda.grid(1) + 10):
            if i < out.size:
                out[i] = x[i]

    # As many threads as elements, of which each takes ten: most blocks find nothing to do.
    assert work_of(tens, float32[::1], float32[::1])["blocks_alike"] == 0.0


def test_what_neighbouring_blocks_share_is_between_once_and_each_time():
    def neighbours(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[max(i - 100, 0)] + x[min(i + 100, x.size - 1)]

    work = work_of(neighbours, float32[::1], float32[::1])
    # All arrays have 16,384 elements, so that each of 64 blocks has 2 KB of its own.
    assert work["least_dram_bytes"] == 2 * 256 * 4
    # An inner block also reads 100 elements at both sides: 57 or 58 sectors where 32 are its own.
    assert 2 * 256 * 4 + 20 * 32 < work["most_dram_bytes"] < 2 * 256 * 4 + 28 * 32


def test_what_a_block_reads_again_is_found_in_l1():
    def table(x, out):
        i = cuda.grid(1)
        if i < out.size:
            total = float32(0)
            for k in range(64):
                total += x[(k * 37 + i) & 255]
            out[i] = total

    work = work_of(table, float32[::1], float32[::1])
    # 64 loads of each of eight warps, most of them of five sectors; of a table of 32 sectors, which L1 keeps.
    assert work["load_sectors"] >= 64 * 8 * 4
    assert work["most_l2_sectors"] == pytest.approx(32 + 32)
    # Six blocks were run, which share the table: of 38 sectors in the mean a block has all but six its own.
    assert work["least_dram_bytes"] < work["most_dram_bytes"]


def test_updates_of_one_place_grow_with_the_blocks():
    def total(x, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(out, 0, x[i])

    work = work_of(total, float32[::1], float32[::1])
    # 256 of each of the six blocks that are run.
    assert work["seen_hottest_element_updates"] == 6 * 256
    assert work["least_hottest_element_updates"] == work["most_hottest_element_updates"] == 256.0


def test_updates_of_places_of_their_own_do_not():
    def each(x, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(out, i, x[i])

    work = work_of(each, float32[::1], float32[::1])
    assert work["seen_hottest_element_updates"] == 1.0
    assert work["least_hottest_element_updates"] == work["most_hottest_element_updates"] == 0.0


def test_where_places_follow_from_data_it_is_between_the_two():
    def histogram(x, bins, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(bins, x[i] & 1023, int32(1))
            out[i] = x[i]

    bins = along(None, extent("bins"), least=1024)
    alike = along(0, extent("x"), extent("out"))
    relations = IndexRelations(equal=(alike, bins), index_of={"x": (extent("bins"),)})
    work = work_of(histogram, int32[::1], int32[::1], int32[::1], relations=relations)
    assert work["least_hottest_element_updates"] == 0.0
    assert work["most_hottest_element_updates"] == work["seen_hottest_element_updates"] / 6 > 0.0


def test_a_kernel_without_atomics_has_no_updates():
    def copied(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i]

    assert not [name for name in work_of(copied, float32[::1], float32[::1]) if "hottest" in name]


def test_no_work_is_told_of_launches_that_leave_their_arrays():
    def beyond(x, out):
        i = cuda.grid(1)
        out[i] = x[np.int64(i) << 40]

    found = synthesise(request_of(beyond, float32[::1], float32[::1], relations=ONE_AXIS))
    assert found.work == ()


def test_work_travels_between_processes():
    def copied(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i]

    found = synthesise(request_of(copied, float32[::1], float32[::1], relations=ONE_AXIS))
    assert from_bytes(to_bytes(found)) == found
    with pytest.raises(ValueError, match="not a number"):
        from_bytes(to_bytes(found).replace(b'"block_threads":256.0', b'"block_threads":"many"'))


def test_what_other_warps_of_the_block_use_is_needed():
    def down(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[(i & 31) * 8 + ((i >> 5) & 7)]

    work = work_of(down, float32[::1], float32[::1])
    # 32 sectors for each of eight warps, which use one element of each, and all eight together.
    assert work["load_sectors"] == 8 * 32
    assert work["most_l2_sectors"] == 32 + 32
    # The table of 32 sectors is common to six blocks.
    assert work["most_needed_load_sectors"] == pytest.approx(32 / 6)
    assert work["most_needed_dram_bytes"] == pytest.approx(32 * (32 + 32 / 6))


def test_what_no_thread_of_the_block_uses_is_not_needed():
    def eighths(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[(i & 31) * 8]

    work = work_of(eighths, float32[::1], float32[::1])
    assert work["most_l2_sectors"] == 32 + 32
    assert work["most_needed_load_sectors"] == pytest.approx(32 / 6 / 8)
    assert work["most_needed_dram_bytes"] == pytest.approx(32 * (32 + 32 / 6 / 8))


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
