"""How often a branch parts a warp: a share where that is one, the least and the most where edges decide."""

from __future__ import annotations

import inspect
import math

import pytest
from numba import cuda, float32, int64
from requests_of_functions import along, extent, request_of
from requests_of_texts import request_of_text

from advisor.evidence.simulated.synthesis.request import KnownLaunch
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.evidence.simulated.synthesis.trial import sampled_blocks
from advisor.program.index_relations.relations import IndexRelations

ONE_AXIS = IndexRelations(equal=(along(0, extent("x"), extent("out")),))
TWO_AXES = IndexRelations(
    equal=(along(0, extent("x", 1), extent("out", 1)), along(1, extent("x"), extent("out"))), block_axes=2
)
ROW, PLANE = float32[::1], float32[:, ::1]


def shares(found: Synthesis) -> dict[int, tuple[object, float | None]]:
    """How often each branch parts a warp, from the first line of the kernel on: the least and the most."""
    first = min(one.line for one in found.lines)
    return {
        one.line - first: (one.values["divided"], one.most.get("divided"))
        for one in found.lines
        if one.entity == "branch" and one.values
    }


def guarded(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


def test_a_guard_parts_the_last_warp_alone():
    launch = KnownLaunch(block=(256, 1, 1))
    found = synthesise(request_of(guarded, ROW, ROW, relations=ONE_AXIS, launch=launch))
    assert [one.variant for one in found.edges] == ["inner blocks", "small sizes", "one block"]
    # Of a launch of one block that is one of eight warps.
    assert shares(found) == {0: (0.0, 1 / 8)}


def seen(found: Synthesis) -> set[tuple[float | None, ...]]:
    """What the launches saw of branches of which nothing is told."""
    return {one.seen["divided"] for one in found.lines if one.entity == "branch" and not one.values}


@pytest.mark.parametrize("launch", [KnownLaunch(), KnownLaunch(block=(64, 1, 1))])
def test_nothing_is_told_of_a_guard_that_may_part_any_share_of_the_warps(launch):
    found = synthesise(request_of(guarded, ROW, ROW, relations=ONE_AXIS, launch=launch))
    assert shares(found) == {}
    # One of two warps of a block of 64, the only one of a block of 32 where no launch tells the block.
    assert max(next(iter(seen(found)))) == (1 / 2 if launch.block else 1.0)


def test_a_grid_may_have_a_block_more_than_the_data():
    launch = KnownLaunch(block=(128, 1, 1), shapes={"x": (130,), "out": (130,)})
    found = synthesise(request_of(guarded, ROW, ROW, relations=ONE_AXIS, launch=launch))
    # The second of two blocks has two lanes with work, a third none; the first alone has no edge.
    assert shares(found) == {0: (0.0, 1 / 8)}
    assert [one.grid for one in found.edges] == [(2, 1, 1), (3, 1, 1), (2, 1, 1)]


def test_the_last_part_of_a_loop_in_tiles_may_be_short():
    def tiled(x, out):
        lane, row = cuda.threadIdx.x, cuda.blockIdx.x
        for tile in range(cuda.gridDim.x):
            at = tile * 32 + lane
            if at < x.shape[1]:
                out[row, at] = x[row, at]

    code = request_of_text("ff ff", inspect.getsource(tiled).replace("tiled", "k"))[0]
    launch = KnownLaunch(block=(32, 1, 1))
    found = synthesise(request_of(tiled, PLANE, PLANE, relations=code.relations, launch=launch))
    branches = {one.line: one for one in found.lines if one.entity == "branch"}
    guard = branches[tiled.__code__.co_firstlineno + 4]
    assert not guard.values
    assert max(guard.seen["divided"]) >= 1 / 2


def test_data_of_whole_blocks_have_no_edge():
    launch = KnownLaunch(block=(48, 1, 1), grid=(10, 1, 1), shapes={"x": (480,)})
    found = synthesise(request_of(guarded, ROW, ROW, relations=ONE_AXIS, launch=launch))
    assert shares(found) == {0: (0.0, None)}


def test_a_known_size_has_its_own_edge():
    launch = KnownLaunch(block=(64, 1, 1), grid=(4, 1, 1), shapes={"x": (200,)})
    found = synthesise(request_of(guarded, ROW, ROW, relations=ONE_AXIS, launch=launch))
    # 200 threads are six warps and 8 lanes of the seventh of eight.
    assert shares(found) == {0: (0.0, 1 / 8)}


def test_a_guard_of_a_plane_parts_the_warps_of_the_last_column():
    def plane(x, out):
        i, j = cuda.grid(2)
        if i < out.shape[1] and j < out.shape[0]:
            out[j, i] = x[j, i]

    launch = KnownLaunch(block=(16, 16, 1))
    found = synthesise(request_of(plane, PLANE, PLANE, relations=TWO_AXES, launch=launch))
    # 50 x 50 elements are 5 x 5 blocks of eight warps, each two rows of 16, the last of each axis without
    # work; in the last but one column of blocks 25 of the 32 warps have rows with work. Rows of nine elements
    # part all warps that have one, those of 50 rows 25 of 32. Of nine rows one warp has half in the first
    # three of four blocks, and in the last all five are parted that have any.
    assert shares(found) == {}
    ((_, _, _, inner, small, one, rows, columns),) = seen(found)
    assert (inner, small, one, rows, columns) == (0.0, 25 / 200, 5 / 8, 25 / 32, 8 / 32)


def test_the_first_element_is_an_edge_too():
    def first(x, out):
        i = cuda.grid(1)
        if i > 0:
            out[i] = math.sqrt(x[i])

    launch = KnownLaunch(block=(128, 1, 1), grid=(8, 1, 1))
    found = synthesise(request_of(first, ROW, ROW, relations=ONE_AXIS, launch=launch))
    # One of 32 warps, in sampled blocks one of 24, in inner blocks none.
    assert shares(found) == {0: (0.0, 1 / 24)}


@pytest.mark.parametrize(("lanes", "share"), [(2, 1.0), (64, 0.0)])
def test_a_branch_on_the_lane_has_one_share(lanes, share):
    def alternating(x, out):
        i = cuda.grid(1)
        if i % lanes < lanes // 2:
            out[i] = math.sin(x[i])
        else:
            out[i] = math.sqrt(x[i])

    launch = KnownLaunch(block=(128, 1, 1), grid=(8, 1, 1))
    found = synthesise(request_of(alternating, ROW, ROW, relations=ONE_AXIS, launch=launch))
    assert {value for value, most in shares(found).values() if most is None} >= {share}
    assert all(most is None for _, most in shares(found).values())


def test_nothing_is_told_of_a_branch_that_hangs_on_a_guess():
    source = """
        def k(x, out):
            i = cuda.grid(1)
            last = N - 1
            if i < last:
                out[i] = x[i]
            if i < 32:
                out[i] = x[i]
    """
    request, _ = request_of_text("f f", source, guessed=("N",))
    assert {line for _, line in request.relations.data_branches} == {4}


def test_sectors_do_not_hang_on_launches_that_tell_of_edges():
    found = synthesise(request_of(guarded, ROW, ROW, relations=ONE_AXIS))
    (load,) = [one for one in found.lines if one.kind == "load"]
    assert (load.values["sectors_per_request"], load.most) == (4.0, {})


class TestBlocksThatAreRun:
    def test_the_first_and_some_inner_ones(self):
        assert sampled_blocks((10, 1, 1)) == [0, 1, 3, 4, 5, 7]

    def test_inner_ones_alone(self):
        assert sampled_blocks((10, 1, 1), "inner") == [1, 3, 4, 5, 7]
        # Not those in the first column or row.
        assert sampled_blocks((3, 3, 1), "inner") == [4]

    @pytest.mark.parametrize("grid", [(1, 1, 1), (2, 1, 1)])
    def test_a_grid_without_inner_blocks(self, grid):
        assert sampled_blocks(grid, "inner") == [0]

    def test_all_of_a_small_grid(self):
        assert sampled_blocks((3, 2, 1), "all") == list(range(6))

    def test_some_of_a_large_one_from_end_to_end(self):
        found = sampled_blocks((1000, 10, 1), "all")
        assert (len(found), found[0], found[-1]) == (64, 0, 9_999)


def counted(x, out, many=100):
    i = cuda.grid(1)
    if i < many:
        out[i] = x[i]


def test_data_that_end_within_the_only_block_tell_what_full_warps_ask_for():
    launch = KnownLaunch(block=(128, 1, 1), scalars={"many": 100})
    kinds = (ROW, ROW, int64)
    found = synthesise(request_of(counted, *kinds, relations=ONE_AXIS, launch=launch))
    # Three full warps ask for four sectors each, the last four lanes for one, with 100 of 128 lanes.
    (load,) = [one for one in found.lines if one.array == "x"]
    assert load.values["sectors_per_request"] == 13 / 4
    assert load.most["sectors_per_request"] == pytest.approx(13 / 4 * 128 / 100)
    assert load.most["ideal_sectors_per_request"] == pytest.approx(13 / 4 * 128 / 100)
