"""Blocks whose warps begin in the middle of rows, and strides that the source does not tell."""

from __future__ import annotations

import pytest
from surveying import records, value

from advisor.program.launches.block_shape import BlockShape, alike_warps

GRID = "x, y = cuda.grid(2)\nif x < n:\n    "


def access(folder, body: str, array: str, block: str, parameters: str = "a, n, out"):
    text = f"@cuda.jit\ndef k({parameters}):\n"
    text += "\n".join("    " + line for line in body.splitlines())
    text += f"\n\ndef main({parameters}):\n    k[8, {block}]({parameters})\n"
    return next(record for record in records(folder, "access", text) if record.label == array)


def test_each_warp_of_the_block_is_looked_at():
    warps = BlockShape(22, 22).warps()
    assert [len(lanes) for lanes in warps] == [32] * 15 + [4]
    # Thread 32 is (32 - 22, 1), thread 64 is (64 - 44, 2), thread 480 is (480 - 462, 21).
    assert [warps[number][0] for number in (0, 1, 2, 15)] == [(0, 0, 0), (10, 1, 0), (20, 2, 0), (18, 21, 0)]


def test_a_block_has_1024_threads_at_most():
    assert len(BlockShape(100_000).warps()) == 32


@pytest.mark.parametrize(
    ("shape", "groups"),
    [
        ((256, 1, 1), [8]),
        ((16, 16, 1), [8]),
        # Six warps that begin at the first of two rows each.
        ((16, 12, 1), [6]),
        # 24 lanes and 8 of the next row, 16 and 16, 8 and 24.
        ((24, 4, 1), [1, 1, 1]),
        ((10, 5, 1), [1, 1]),
    ],
)
def test_warps_whose_lanes_lie_alike(shape, groups):
    found = alike_warps([dict(enumerate(warp)) for warp in BlockShape(*shape).warps()])
    assert [len(group.starts) for group in found] == groups


def test_a_row_of_each_lane_in_a_block_of_22_by_22(tmp_path):
    found = access(tmp_path, GRID + "out[x, y] = 1", "out", "(22, 22)")
    # Of the 16 warps 15 have 22 values of x, ten of which lie in a second column too: in the same sector
    # unless that begins one. The last has four values. Warp w begins at 32 w: in column y = 32 w // 22, at
    # x = 32 w % 22. Those that begin behind x = 12 have a third column.
    columns = []
    for block in range(4):
        for first in range(0, 484, 32):
            lanes = range(first, min(first + 32, 484))
            columns.append(len({(lane % 22, (22 * block + lane // 22) // 8) for lane in lanes}))
    assert value(found, "sectors_per_request") == pytest.approx(sum(columns) / 64)
    assert value(found, "exchange") == "threadIdx.x and threadIdx.y"
    # Exchanged: 22 neighbours of one row and ten of the next, 88 and 40 bytes that begin anywhere.
    rows = []
    for block in range(4):
        for first in range(0, 484, 32):
            lanes = range(first, min(first + 32, 484))
            rows.append(len({(lane // 22, (22 * block + lane % 22) // 8) for lane in lanes}))
    assert value(found, "exchanged_sectors_per_request") == pytest.approx(sum(rows) / 64)


def test_a_block_of_22_threads_begins_at_any_of_four_places(tmp_path):
    found = access(tmp_path, "i = cuda.grid(1)\nif i < n:\n    out[i] = 1", "out", "22")
    # 88 bytes from 0, 88, 176 and 264 bytes on: 3, 4 (24 to 112), 4 (16 to 104) and 3 (8 to 96) sectors.
    assert value(found, "sectors_per_request") == 3.5
    assert value(found, "ideal_sectors_per_request") == 3


def test_the_last_warp_of_a_block_of_100_threads_has_four(tmp_path):
    found = access(tmp_path, "i = cuda.grid(1)\nif i < n:\n    out[i] = 1", "out", "100")
    # 400 bytes are twelve and a half sectors: every second block begins within one. 4, 4, 4 and 1 sectors,
    # then 5, 5, 5 and 1.
    assert value(found, "sectors_per_request") == 29 / 8
    assert value(found, "ideal_sectors_per_request") == 13 / 4


@pytest.mark.parametrize(
    ("loop", "index", "sectors"),
    [
        # From the first element of a sector on 4 sectors, from any other on 5.
        ("for k in range(3):", "i + k", (4 + 5 + 5) / 3),
        ("for k in range(n):", "i + k", (4 + 7 * 5) / 8),
        ("for k in range(-1, 2):", "i + k", (5 + 4 + 5) / 3),
        ("for k in range(1000):", "i + k", (4 + 7 * 5) / 8),
        ("for k in range(1):", "i + k", 4),
        ("for k in range(n):", "i + 32 * k", 4),
        ("for k in range(n):", "i + k * n", 4),
        ("for k in range(i, n, 256):", "k", 4),
        # What data gives begins anywhere, too.
        ("for k in range(n):", "i + int(a[0])", (4 + 7 * 5) / 8),
        # A part of a size is taken to be as aligned as the size.
        ("for k in range(n):", "i + n // 2", 4),
    ],
)
def test_iterations_begin_at_their_places_in_a_sector(tmp_path, loop, index, sectors):
    body = f"i = cuda.grid(1)\nif i < n:\n    {loop}\n        out[{index}] = 1"
    found = access(tmp_path, body, "out", "256")
    assert value(found, "sectors_per_request") == pytest.approx(sectors)


@pytest.mark.parametrize(
    ("shape", "index", "block", "sectors"),
    [
        # Rows of 500 float32 have 62 sectors and a half: every second one begins within a sector.
        ("(500, 500)", "y, x", "(32, 8)", 4.5),
        ("(512, 512)", "y, x", "(32, 8)", 4),
        # Warps of two rows of 16: one that begins at a sector, one that does not.
        ("(500, 500)", "y, x", "(16, 16)", 2 + 3),
    ],
)
def test_rows_that_begin_within_sectors(tmp_path, shape, index, block, sectors):
    text = f"@cuda.jit\ndef k(out):\n    x, y = cuda.grid(2)\n    out[{index}] = 1\n\n\n"
    text += f"def main():\n    out = np.zeros({shape}, np.float32)\n    k[(16, 64), {block}](out)\n"
    (found,) = records(tmp_path, "access", text)
    assert value(found, "sectors_per_request") == sectors


@pytest.mark.parametrize(
    ("test", "index", "sectors", "ideal"),
    [
        ("tx == 0", "8 * i", 1, 1),
        ("tx < 8", "i", 1, 1),
        ("tx < 8", "8 * i", 8, 1),
        # One warp of 32 and one of 16 lanes do the access.
        ("tx < 48", "i", (4 + 2) / 2, (4 + 2) / 2),
        ("32 <= tx", "8 * i", 32, 4),
        # How many lanes these let through is not known.
        ("i < n", "8 * i", 32, 4),
        ("tx % 2 == 0", "8 * i", 32, 4),
        ("tx < 0", "i", 4, 4),
    ],
)
def test_lanes_that_conditions_let_through(tmp_path, test, index, sectors, ideal):
    body = f"i = cuda.grid(1)\ntx = cuda.threadIdx.x\nif {test}:\n    out[{index}] = 1"
    found = access(tmp_path, body, "out", "256")
    assert value(found, "sectors_per_request") == sectors
    assert value(found, "ideal_sectors_per_request") == ideal


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
