"""Launches that are made up count what can be computed by hand: 32 lanes, sectors of 32 bytes, 32 banks."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numba import complex64, complex128, cuda, float32, float64, from_dtype, int32, types
from numba.cuda import dispatcher
from numba.cuda.types import float16
from requests_of_functions import along, extent, request_of, value_of

from advisor.evidence.simulated.synthesis.evidence import launch_in_words
from advisor.evidence.simulated.synthesis.request import KnownLaunch
from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.program.index_relations.relations import AxisUse, IndexRelations, IndexTerm, SumIndex

ONE_AXIS = IndexRelations(equal=(along(0, extent("x"), extent("out")),))
POINT = np.dtype([("x", "<f4"), ("y", "<f4")], align=True)
SHARES = {"request_share", "sector_share"}


def line(found: Synthesis, array: str, kind: str = "load") -> LineCounts:
    """The counts of the only line with such an access of an array."""
    (one,) = (one for one in found.lines if (one.array, one.kind) == (array, kind))
    return one


def sectors(found: Synthesis, array: str, kind: str = "load") -> tuple[object, object, float | None]:
    """Sectors, those that are needed, and the most where rows are not aligned."""
    one = line(found, array, kind)
    names = ("sectors_per_request", "ideal_sectors_per_request")
    return (*(one.values.get(name) for name in names), one.most.get(names[0]))  # type: ignore[return-value]


def copied(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


# Bytes of 32 elements over those of a sector.
@pytest.mark.parametrize(("kind", "needed"), [(float16, 2), (float32, 4), (float64, 8)], ids=str)
def test_elements_side_by_side(kind, needed):
    found = synthesise(request_of(copied, kind[::1], kind[::1], relations=ONE_AXIS))
    assert found.unknown == ""
    names = ["round sizes", "other sizes", "odd sizes", "small blocks"]
    assert [one.variant for one in found.launches] == names
    assert sectors(found, "x") == sectors(found, "out", "store") == (needed, needed, None)
    assert found.values["coalescing_efficiency"] == 1.0
    assert found.values["warp_execution_efficiency"] == 1.0


@pytest.mark.parametrize(("kind", "needed"), [(complex64, 4), (complex128, 8)], ids=str)
def test_the_parts_of_complex_numbers_are_a_request_each(kind, needed):
    found = synthesise(request_of(copied, kind[::1], kind[::1], relations=ONE_AXIS))
    # Every second part lies between those that are asked for.
    assert sectors(found, "x") == (2 * needed, needed, None)


def test_every_fourth_element():
    def fourths(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[4 * i]

    rows = IndexTerm((extent("out"),), 0, widths=(4,))
    relations = IndexRelations(equal=(along(0, extent("out")),), sums=(SumIndex(extent("x"), (rows,)),))
    found = synthesise(request_of(fourths, float32[::1], float32[::1], relations=relations))
    assert sectors(found, "x") == (16, 4, None)
    assert line(found, "x").values["lane_stride"] == 4.0


def test_a_row_for_each_lane():
    def sums(x, out):
        i = cuda.grid(1)
        if i < x.shape[0]:
            total = float32(0)
            for k in range(x.shape[1]):
                total += x[i, k]
            out[i] = total

    relations = IndexRelations(equal=(along(0, extent("x"), extent("out")), along(None, extent("x", 1))))
    found = synthesise(request_of(sums, float32[:, ::1], float32[::1], relations=relations))
    assert sectors(found, "x") == (32, 4, None)
    assert sectors(found, "out", "store") == (4, 4, None)


TWO_AXES = IndexRelations(
    equal=(along(0, extent("x", 1), extent("out", 1)), along(1, extent("x"), extent("out"))), block_axes=2
)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_a_layout_decides_which_axis_is_side_by_side(layout):
    def plane(x, out):
        i, j = cuda.grid(2)
        if j < out.shape[0] and i < out.shape[1]:
            out[j, i] = x[j, i]

    kinds = types.Array(float32, 2, layout), types.Array(float32, 2, layout)
    found = synthesise(request_of(plane, *kinds, relations=TWO_AXES, launch=KnownLaunch(block=(32, 8, 1))))
    # A row of 419 elements begins within a sector, so that 128 bytes mostly lie in five.
    if layout == "C":
        assert sectors(found, "x")[:2] == (4, 4)
        assert 4 < sectors(found, "x")[2] <= 5
    else:
        assert sectors(found, "x") == (32, 4, None)


def test_rows_of_half_a_warp():
    def swapped(x, out):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            out[j, i] = x[i, j]

    relations = IndexRelations(
        equal=(along(0, extent("x"), extent("out", 1)), along(1, extent("x", 1), extent("out"))), block_axes=2
    )
    found = synthesise(request_of(swapped, float32[:, ::1], float32[:, ::1], relations=relations))
    # No launch tells the block. A load takes four neighbours of eight rows in blocks of 8 x 8, two of 16 in
    # blocks of 16 x 16, one of 32 in blocks of 32 x 8; a store is of four rows of eight neighbours, of two of
    # 16 or of one: each of a sector or, where a row begins within one, one more.
    assert sectors(found, "x") == (8, 4, 32)
    assert sectors(found, "out", "store")[:2] == (4, 4)
    assert 6 < sectors(found, "out", "store")[2] <= 8


def test_rows_of_half_a_warp_in_a_known_block():
    def swapped(x, out):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            out[j, i] = x[i, j]

    relations = IndexRelations(
        equal=(along(0, extent("x"), extent("out", 1)), along(1, extent("x", 1), extent("out"))), block_axes=2
    )
    launch = KnownLaunch(block=(16, 16, 1))
    kinds = float32[:, ::1], float32[:, ::1]
    found = synthesise(request_of(swapped, *kinds, relations=relations, launch=launch))
    assert {one.block for one in found.launches} == {(16, 16, 1)}
    assert sectors(found, "x")[:2] == (16, 4)
    assert 4 < sectors(found, "out", "store")[2] <= 6
    # Another launch of which the block is not known may have any.
    other = synthesise(
        request_of(swapped, *kinds, relations=relations, launch=KnownLaunch((16, 16, 1), any_block=True))
    )
    assert {one.block for one in other.launches} == {(16, 16, 1), (8, 8, 1)}
    assert sectors(other, "x")[:2] == (8, 4)


def test_a_tile_tells_the_block_of_launches_that_do_not():
    launch = KnownLaunch((16, 16, 1), any_block=True)
    relations = replace(TWO_AXES, shared_shapes=((16, 16),))
    kinds = float32[:, ::1], float32[:, ::1]
    found = synthesise(request_of(moved_rows, *kinds, relations=relations, launch=launch))
    assert {one.block for one in found.launches} == {(16, 16, 1)}


def test_a_block_in_which_accesses_leave_arrays_is_none_of_the_kernel():
    def for_blocks_of_256(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i + (cuda.blockDim.x - 256) * 4096]

    launch = KnownLaunch(shapes={"x": (16384,), "out": (16384,)})
    found = synthesise(
        request_of(for_blocks_of_256, float32[::1], float32[::1], relations=ONE_AXIS, launch=launch)
    )
    assert "small blocks" not in {one.variant for one in found.launches}
    assert sectors(found, "x") == (4, 4, None)


@pytest.mark.parametrize(("width", "ways"), [(32, 32.0), (33, 1.0)])
def test_a_tile_that_is_read_by_columns(width, ways):
    def turned(x, out):
        tile = cuda.shared.array((32, width), float32)
        i, j = cuda.grid(2)
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[j, i]
        cuda.syncthreads()
        out[j, i] = tile[cuda.threadIdx.x, cuda.threadIdx.y]

    axes = {
        extent(array, axis): AxisUse(0, True, frozenset({1 - axis}))
        for array in ["x", "out"]
        for axis in (0, 1)
    }
    relations = IndexRelations(axes=axes, block_axes=2, shared_shapes=((32, width),))
    found = synthesise(request_of(turned, float32[:, ::1], float32[:, ::1], relations=relations))
    shared = {one.kind: one.values["bank_conflict_ways"] for one in found.lines if one.space == "shared"}
    assert shared == {"store": 1.0, "load": ways}
    assert found.launches[0].block == (32, 32, 1)
    assert found.values["barriers_per_block"] == 1.0


def gathered(x, where, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[where[i]]


GATHER = IndexRelations(
    equal=(along(0, extent("where"), extent("out")),),
    axes={extent("x"): AxisUse(0, True)},
    index_of={"where": (extent("x"),)},
)


def test_what_data_decides_is_not_published():
    found = synthesise(request_of(gathered, float32[::1], int32[::1], float32[::1], relations=GATHER))
    assert not any(one.out_of_bounds for one in found.launches)
    assert sectors(found, "where") == (4, 4, None)
    assert "sectors_per_request" not in line(found, "x").values
    ordered, other, odd, repeated, _ = line(found, "x").seen["sectors_per_request"]
    assert ordered == 4.0
    # Eight neighbours choose the same element, and the next eight the next one.
    assert 1 <= repeated <= 1.5
    # 32 random elements of thousands hardly ever meet in a sector.
    assert 30 < other <= 32
    assert 30 < odd <= 32
    assert "global_sectors_per_request" not in found.values


def test_nothing_is_told_of_a_row_and_a_place_that_data_choose():
    """Rising indices are others in each lane, and so are random ones; those of images lie side by side."""

    def cells(x, where, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[where[i, 0], where[i, 1]]

    relations = IndexRelations(
        equal=(along(0, extent("where"), extent("out")),),
        axes={extent("x", axis): AxisUse(0, True) for axis in (0, 1)} | {extent("where", 1): AxisUse(2)},
        index_of={"where": (extent("x"), extent("x", 1))},
    )
    launch = KnownLaunch(block=(256, 1, 1))
    kinds = float32[:, ::1], int32[:, ::1], float32[::1]
    found = synthesise(request_of(cells, *kinds, relations=relations, launch=launch))
    assert not any(one.out_of_bounds for one in found.launches)
    ordered, other, odd, repeated = line(found, "x").seen["sectors_per_request"]
    assert min(ordered, other, odd) > 30
    # Four neighbours have the same row and place.
    assert repeated == 8.0


def test_atomics():
    def counted(x, bins, all_of_them):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(bins, x[i], 1)
            cuda.atomic.add(all_of_them, 0, 1)

    relations = IndexRelations(
        equal=(along(0, extent("x")),),
        axes={extent("bins"): AxisUse(0, True), extent("all_of_them"): AxisUse(1)},
        index_of={"x": (extent("bins"),)},
    )
    kinds = int32[::1], int32[::1], int32[::1]
    found = synthesise(request_of(counted, *kinds, relations=relations))
    assert line(found, "all_of_them", "atomic").values == {"lanes_per_address": 32.0}
    assert found.launches[0].shapes["all_of_them"] == (1,)
    assert sectors(found, "x") == (4, 4, None)


def row_sums(begins, columns, x, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for k in range(begins[i], begins[i + 1]):
            total += x[columns[k]]
        out[i] = total


def test_rows_of_a_sparse_matrix():
    here = row_sums.__code__.co_filename, row_sums.__code__.co_firstlineno + 4
    relations = IndexRelations(
        equal=(along(0, extent("out"), extent("begins")),),
        axes={extent("columns"): AxisUse(0, True), extent("x"): AxisUse(0, True)},
        index_of={"begins": (extent("columns"),), "columns": (extent("x"),)},
        row_bounds=frozenset({"begins"}),
        data_branches=frozenset({here}),
    )
    kinds = int32[::1], int32[::1], float32[::1], float32[::1]
    found = synthesise(request_of(row_sums, *kinds, relations=relations))
    assert not any(one.out_of_bounds for one in found.launches)
    # begins[i] lies in four sectors, begins[i + 1] in five.
    assert sectors(found, "begins") == (4.5, 4.0, None)
    # How often the loop runs is data's.
    assert here not in {(one.path, one.line) for one in found.lines if one.entity == "branch"}
    assert "warp_execution_efficiency" not in found.values
    assert "loads_per_warp" not in found.values


def test_neighbours_along_three_axes():
    def laplace(x, out):
        i, j, k = cuda.grid(3)
        if 0 < i < x.shape[2] - 1 and 0 < j < x.shape[1] - 1 and 0 < k < x.shape[0] - 1:
            out[k, j, i] = (
                x[k, j, i]
                - x[k, j - 1, i]
                - x[k - 1, j, i]
            )  # fmt: skip

    relations = IndexRelations(
        equal=tuple(along(2 - axis, extent("x", axis), extent("out", axis)) for axis in range(3)),
        block_axes=3,
    )
    found = synthesise(request_of(laplace, float64[:, :, ::1], float64[:, :, ::1], relations=relations))
    assert found.unknown == ""
    loads = [one for one in found.lines if (one.array, one.kind) == ("x", "load")]
    assert len(loads) == 3
    for one in loads:
        # Blocks of 8 x 8 x 4: four rows of eight elements, 64 bytes each.
        assert one.values["sectors_per_request"] == pytest.approx(8.0, rel=0.1)
        assert one.values["ideal_sectors_per_request"] == pytest.approx(8.0, rel=0.1)


@cuda.jit(device=True, lineinfo=True)
def second(values, i):
    return values[2 * i + 1]


def test_lines_of_device_functions(monkeypatch):
    device = SimpleNamespace(compute_capability=(8, 0))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)

    def seconds(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = second(x, i)

    rows = IndexTerm((extent("out"),), 0, widths=(2,))
    relations = IndexRelations(equal=(along(0, extent("out")),), sums=(SumIndex(extent("x"), (rows,), 1),))
    kinds = float32[::1], float32[::1]
    found = synthesise(request_of(seconds, *kinds, relations=relations, device_functions=[second]))
    assert line(found, "x").line == second.py_func.__code__.co_firstlineno + 2
    assert sectors(found, "x") == (8, 4, None)


def test_tuples_of_arrays_have_the_names_of_recorded_launches():
    def both(pair, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = pair[0][i] + pair[1][i]

    relations = IndexRelations(equal=(along(0, extent("pair.0"), extent("pair.1"), extent("out")),))
    kind = types.Tuple((types.Array(float32, 1, "C"), types.Array(float64, 1, "C")))
    found = synthesise(request_of(both, kind, float64[::1], relations=relations))
    assert sectors(found, "pair[0]") == (4, 4, None)
    assert sectors(found, "pair[1]") == (8, 8, None)


def test_a_field_of_records():
    def field(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i].y

    kind = types.Array(from_dtype(POINT), 1, "C")
    found = synthesise(request_of(field, kind, float32[::1], relations=ONE_AXIS))
    assert sectors(found, "x") == (8, 4, None)


def test_a_record_and_scalars_of_all_types():
    def scaled(x, out, point, factor, shift, on):
        i = cuda.grid(1)
        if i < out.size and on:
            out[i] = x[i] * point.x + factor.real + shift

    kinds = from_dtype(POINT), complex64, float16, types.boolean
    found = synthesise(request_of(scaled, float32[::1], float32[::1], *kinds, relations=ONE_AXIS))
    assert found.unknown == ""
    # The record is one address for all lanes.
    assert sectors(found, "point") == (1, 1, None)
    assert sectors(found, "x") == (4, 4, None)


def test_half_of_the_lanes_leave_every_branch():
    def alternating(x, out):
        i = cuda.grid(1)
        if i < out.size:
            if i % 2 == 0:
                out[i] = math.sin(x[i])
            else:
                out[i] = math.sqrt(x[i])

    found = synthesise(request_of(alternating, float32[::1], float32[::1], relations=ONE_AXIS))
    branches = [one.values["divided"] for one in found.lines if one.entity == "branch" and one.values]
    assert max(branches) == 1.0


def moved_rows(x, out):
    i, j = cuda.grid(2)
    if j < out.shape[0] and i < out.shape[1]:
        out[j, i] = x[j, i]


def test_an_array_of_unknown_size_is_as_large_as_the_largest_with_as_many_axes():
    axes = {extent("x", axis): AxisUse(3) for axis in (0, 1)}
    relations = IndexRelations(
        equal=(along(0, extent("out", 1)), along(1, extent("out"))), axes=axes, block_axes=2
    )
    launch = KnownLaunch(block=(32, 8, 1))
    kinds = float32[:, ::1], float32[:, ::1]
    found = synthesise(request_of(moved_rows, *kinds, relations=relations, launch=launch))
    assert {one.shapes["x"] == one.shapes["out"] for one in found.launches} == {True}
    assert not any(one.out_of_bounds for one in found.launches)
    assert sectors(found, "x")[:2] == (4, 4)


def test_nothing_is_told_of_rows_whose_length_nothing_says():
    def read(x, out, n, m):
        i, j = cuda.grid(2)
        if i < n and j < m:
            out[0] = x[j, i]

    axes = {extent("x", axis): AxisUse(3) for axis in (0, 1)}
    relations = IndexRelations(
        equal=(along(0, value_of("n")), along(1, value_of("m"))), axes=axes, block_axes=2
    )
    kinds = float32[:, ::1], float32[::1], int32, int32
    found = synthesise(request_of(read, *kinds, relations=relations))
    assert {name for one in found.lines if one.array == "x" for name in one.values} <= SHARES
    assert found.values == {}


def test_what_is_needed_is_told_where_launches_have_as_many_lanes():
    """Of rising numbers from 0 all are above -0.5, of normal ones 69%."""

    def some(x, out):
        i = cuda.grid(1)
        if i < out.size and x[i] > -0.5:
            out[i] = 1.0

    launch = KnownLaunch(block=(256, 1, 1))
    found = synthesise(request_of(some, float32[::1], float32[::1], relations=ONE_AXIS, launch=launch))
    assert sectors(found, "x") == (4, 4, None)
    assert sectors(found, "out", "store") == (4, None, None)


def test_lines_of_few_lanes_are_not_published():
    def first(x, out):
        i = cuda.grid(1)
        if i < out.size and i % 32 < 8:
            out[i] = x[i]

    found = synthesise(request_of(first, float32[::1], float32[::1], relations=ONE_AXIS))
    # Nothing of the access itself; what it has of the kernel's counts is what the other places leave.
    assert (line(found, "x").values, line(found, "x").most.keys()) == (dict.fromkeys(SHARES, 0.0), SHARES)


def test_the_edge_of_odd_sizes_is_none_of_the_blocks():
    """9,001 threads need 36 blocks of 256, of which the last has 41 threads with work."""
    found = synthesise(request_of(copied, float32[::1], float32[::1], relations=ONE_AXIS))
    odd = found.launches[2]
    assert (odd.grid, odd.shapes["x"]) == ((36, 1, 1), (9001,))
    assert odd.active == 1.0


def test_a_known_launch_is_taken():
    launch = KnownLaunch(block=(48, 1, 1), grid=(10, 1, 1), shapes={"x": (480,)}, where="main.py:3")
    found = synthesise(request_of(copied, float32[::1], float32[::1], relations=ONE_AXIS, launch=launch))
    assert {one.block for one in found.launches} == {(48, 1, 1)}
    assert found.launches[0].shapes == {"x": (480,), "out": (480,)}
    # Every second warp has 16 threads, two sectors.
    assert sectors(found, "x") == (3, 3, None)
    words = launch_in_words(found, launch)
    assert words.startswith("Synthesised launch: grid 10, block 48 [from main.py:3], ")
    assert words.endswith("; 2 others agree.")


def test_integers_that_bound_a_loop_are_no_reason_to_publish_how_often_it_runs():
    def repeated(x, out, n):
        i = cuda.grid(1)
        if i < out.size:
            total = float32(0)
            for k in range(n):
                total += x[i] * k
            out[i] = total

    relations = IndexRelations(equal=(*ONE_AXIS.equal, along(None, value_of("n"))))
    found = synthesise(request_of(repeated, float32[::1], float32[::1], int32, relations=relations))
    assert sectors(found, "x") == (4, 4, None)
    assert "chained_arithmetic_steps" not in found.values


@pytest.mark.parametrize(("other", "told"), [((1, 1, 1), None), ((64, 1, 1), 4.0)])
def test_what_hangs_on_the_block_is_told_where_all_blocks_in_the_source_agree(other, told):
    launch = KnownLaunch(block=(256, 1, 1), grid=(8, 1, 1), other_blocks=(other,))
    found = synthesise(request_of(copied, float32[::1], float32[::1], relations=ONE_AXIS, launch=launch))
    assert [one.block for one in found.launches] == [(256, 1, 1)] * 3 + [other]
    # A block of one thread asks for one sector at a time.
    assert line(found, "x").values.get("sectors_per_request") == told
    if told is None:
        assert line(found, "x").seen["sectors_per_request"] == (4.0, 4.0, 4.0, 1.0)
