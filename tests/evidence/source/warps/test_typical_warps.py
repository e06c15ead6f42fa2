"""Blocks whose warps begin in the middle of rows, and strides that the source does not tell."""

from __future__ import annotations

import pytest
from surveying import records, value

from advisor.program.launches.block_shape import BlockShape

GRID = "x, y = cuda.grid(2)\nif x < n:\n    "


def access(folder, body: str, array: str, block: str, parameters: str = "a, n, out"):
    text = f"@cuda.jit\ndef k({parameters}):\n"
    text += "\n".join("    " + line for line in body.splitlines())
    text += f"\n\ndef main({parameters}):\n    k[8, {block}]({parameters})\n"
    return next(record for record in records(folder, "access", text) if record.label == array)


@pytest.mark.parametrize(
    ("shape", "alike"),
    [((256, 1, 1), True), ((16, 16, 1), True), ((96, 3, 1), True), ((1, 1, 64), True), ((22, 22, 1), False),
     ((22, 1, 1), False), ((16, 12, 1), False)],
)  # fmt: skip
def test_warps_are_alike_where_each_begins_at_a_power_of_two(shape, alike):
    assert BlockShape(*shape).alike is alike
    assert (len(BlockShape(*shape).warps()) == 1) is alike


def test_warps_come_from_the_whole_block_and_from_blocks_that_begin_elsewhere():
    warps = BlockShape(22, 22).warps()
    first = {(lanes[0]["tid.x"], lanes[0]["tid.y"]) for lanes in warps}
    assert {lanes[0]["bid.x"] for lanes in warps} == {0, 1, 2, 3}
    # Every second of the 16 warps: thread 64 is (64 - 44, 2), thread 128 is (128 - 110, 5).
    assert {(0, 0), (20, 2), (18, 5)} <= first
    assert all(len(lanes) == 32 for lanes in warps)


def test_the_last_warp_has_what_is_left():
    assert [len(lanes) for lanes in BlockShape(10, 5).warps()[:2]] == [32, 18]


def test_a_row_of_each_lane_in_a_block_of_22_by_22(tmp_path):
    found = access(tmp_path, GRID + "out[x, y] = 1", "out", "(22, 22)")
    # 32 lanes are 22 values of x. Ten of them lie in a second column, in the same sector unless y + 1 begins
    # one: then their rows have a second sector. The mean over warps and blocks is between 22 and 23.
    assert value(found, "sectors_per_request") == 23
    assert value(found, "exchange") == "threadIdx.x and threadIdx.y"
    # Exchanged: 22 neighbours of one row and ten of the next, 88 and 40 bytes that begin anywhere: 3 to 4
    # sectors and 2 to 3, of which the mean is 6.
    assert value(found, "exchanged_sectors_per_request") == 6


def test_a_block_of_22_threads_begins_at_any_of_four_places(tmp_path):
    found = access(tmp_path, "i = cuda.grid(1)\nif i < n:\n    out[i] = 1", "out", "22")
    # 88 bytes from 0, 88, 176 and 264 bytes on: 3, 4 (24 to 112), 4 (16 to 104) and 3 (8 to 96) sectors.
    assert value(found, "sectors_per_request") == 4
    assert value(found, "ideal_sectors_per_request") == 3


@pytest.mark.parametrize(
    ("index", "sectors"),
    [
        ("x * n + y * m", None),
        ("x * n + y * m + 1", None),
        ("x * n + y", 16),
        ("x * n * m + y * m", 32),
        ("y * n + x", 4),
        ("x * n + y * m + int(a[y]) * n", None),
        ("x * n", 16),
    ],
)
def test_strides_of_which_any_may_be_one_tell_no_sectors(tmp_path, index, sectors):
    found = access(tmp_path, GRID + f"out[{index}] = 1", "out", "(16, 16)", "a, n, m, out")
    assert value(found, "sectors_per_request") == sectors
    assert value(found, "lane_axis") == "fast"


def test_rows_of_two_unknown_sizes_do_not_fall_together(tmp_path):
    found = access(tmp_path, GRID + "out[x * n + y * m, 0] = 1", "out", "(16, 16)", "a, n, m, out")
    assert value(found, "sectors_per_request") == 32


@pytest.mark.parametrize(
    ("part", "element", "sectors"),
    [
        ("a[x:n]", "row[0]", 4),
        ("a[x:n:2]", "row[0]", 4),
        ("a[0:n:2]", "row[x]", 8),
        ("a[1:n:2][1:]", "row[x]", 9),
        ("a[::3][::2]", "row[x]", 24),
        ("a[0:n:n]", "row[x]", 32),
        ("a[x * n :: 2]", "row[1]", 32),
    ],
)
def test_slices_go_on_by_their_steps(tmp_path, part, element, sectors):
    # 32 lanes: elements of 4 bytes two apart lie in 8 sectors, six apart in 24;
    # from the fourth element on, two apart end in a ninth.
    body = f"x = cuda.grid(1)\nrow = {part}\nout[x] = {element}"
    assert value(access(tmp_path, body, "a", "256"), "sectors_per_request") == sectors
