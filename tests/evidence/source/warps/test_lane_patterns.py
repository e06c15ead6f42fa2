"""Sectors and banks, each computed by hand.

A sector has 32 bytes: eight float32. A warp has 32 lanes, so a coalesced float32 access touches 4 sectors,
a float64 one 8, stride 2 touches 8, stride 8 and more 32, one element for all lanes 1.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from surveying import records, value

from advisor.evidence.source.warps.lanes import bank_conflict_ways


def access(folder: Path, body: str, array: str, block: str = "256", parameters: str = "a, n, out"):
    text = f"@cuda.jit\ndef k({parameters}):\n"
    text += "\n".join("    " + line for line in body.splitlines())
    text += f"\n\ndef main({parameters}):\n    k[8, {block}]({parameters})\n"
    found = [record for record in records(folder, "access", text) if record.label == array]
    assert found, "the access is not found"
    return found[0]


@pytest.mark.parametrize(
    ("index", "sectors"),
    [("i", 4), ("2 * i", 8), ("3 * i", 12), ("8 * i", 32), ("100 * i", 32), ("i + 1", 5), ("0", 1), ("n", 1),
     ("n * i", 32), ("n - i", 5), ("i + n * n", 4)],
)  # fmt: skip
def test_sectors_of_one_dimensional_accesses(tmp_path, index, sectors):
    found = access(tmp_path, f"i = cuda.grid(1)\nif i < n:\n    out[{index}] = a[0]", "out")
    assert value(found, "sectors_per_request") == sectors


def test_a_row_for_each_thread_touches_a_sector_for_each_lane(tmp_path):
    body = "i = cuda.grid(1)\nif i < n:\n    for j in range(n):\n        out[i] = a[i, j]"
    found = access(tmp_path, body, "a")
    assert value(found, "sectors_per_request") == 32
    assert value(found, "ideal_sectors_per_request") == 4
    assert value(found, "lane_axis") == "slow"
    assert value(found, "thread_walks_fast_axis") is True


def test_lanes_follow_the_block_shape_and_not_the_name(tmp_path):
    body = "i, j = cuda.grid(2)\nif i < n:\n    out[i, j] = 1"
    wide = access(tmp_path, body, "out", block="(32, 8)")
    tall = access(tmp_path, body, "out", block="(1, 64)")
    assert (value(wide, "lane_axis"), value(wide, "sectors_per_request")) == ("slow", 32)
    assert (value(tall, "lane_axis"), value(tall, "sectors_per_request")) == ("fast", 4)


def test_a_square_block_puts_two_rows_into_a_warp(tmp_path):
    body = "x, y = cuda.grid(2)\nif x < n:\n    out[y, x] = 1"
    found = access(tmp_path, body, "out", block="(16, 16)")
    assert value(found, "sectors_per_request") == 4


def test_a_grid_stride_loop_stays_coalesced(tmp_path):
    body = "for i in range(cuda.grid(1), n, cuda.gridsize(1)):\n    out[i] = a[i]"
    found = access(tmp_path, body, "a")
    assert value(found, "sectors_per_request") == 4
    assert value(found, "guarded") is True


def test_a_counter_in_a_while_loop_is_followed(tmp_path):
    body = "i = cuda.threadIdx.x\nwhile i < n:\n    out[i] = a[2 * i]\n    i += cuda.blockDim.x"
    found = access(tmp_path, body, "a")
    assert value(found, "sectors_per_request") == 8


@pytest.mark.parametrize("index", ["i % n", "i // 2", "a[i]", "min(i, n - 1)"])
def test_what_cannot_be_followed_is_unknown(tmp_path, index):
    found = access(tmp_path, f"i = cuda.grid(1)\nif i < n:\n    out[{index}] = 1", "out")
    assert value(found, "sectors_per_request") is None


def test_an_index_read_from_memory_is_indirect(tmp_path):
    found = access(tmp_path, "i = cuda.grid(1)\nif i < n:\n    j = a[i]\n    out[j] = 1", "out")
    assert value(found, "index_kind") == "indirect"
    assert value(found, "data_dependent") is True


def test_branches_with_different_indices_are_unknown(tmp_path):
    body = "i = cuda.grid(1)\nif i > 5:\n    j = i\nelse:\n    j = 2 * i\nif i < n:\n    out[j] = 1"
    assert value(access(tmp_path, body, "out"), "sectors_per_request") is None


@pytest.mark.parametrize(
    ("shape", "index", "ways"),
    [("(32, 32)", "x, y", 32), ("(32, 33)", "x, y", 1), ("(32, 32)", "y, x", 1), ("(32, 34)", "x, y", 2),
     ("(64,)", "2 * x", 2), ("(1024,)", "32 * x", 32), ("(64,)", "x + 1", 1), ("(64,)", "y", 1)],
)  # fmt: skip
def test_bank_conflicts_of_float32_tiles(tmp_path, shape, index, ways):
    body = (
        f"tile = cuda.shared.array({shape}, np.float32)\nx = cuda.threadIdx.x\ny = cuda.threadIdx.y\n"
        f"tile[{index}] = 1"
    )
    assert value(access(tmp_path, body, "tile", block="(32, 32)"), "bank_conflict_ways") == ways


def test_float64_words_are_served_in_half_warps(tmp_path):
    body = "tile = cuda.shared.array(64, np.float64)\nx = cuda.threadIdx.x\ntile[x] = 1"
    assert value(access(tmp_path, body, "tile", block="32"), "bank_conflict_ways") == 1


def test_a_tile_of_unknown_width_has_unknown_conflicts(tmp_path):
    body = "tile = cuda.shared.array((32, W), np.float32)\nx = cuda.threadIdx.x\ntile[x, 0] = 1"
    assert value(access(tmp_path, body, "tile", block="32"), "bank_conflict_ways") is None


@given(stride=st.integers(0, 200))
def test_conflicts_of_a_stride_are_its_common_divisor_with_the_banks(stride):
    import math

    expected = 1 if stride == 0 else math.gcd(stride, 32)
    assert bank_conflict_ways([lane * stride for lane in range(32)], 4) == expected


def test_rows_of_constant_length_give_a_stride(tmp_path):
    body = "i = cuda.grid(1)\nif i < n:\n    out[i] = a[i, 0] + a[i, 1] + a[i, 2]"
    found = access(tmp_path, body, "a")
    assert value(found, "lane_stride") == 3
    assert value(found, "sectors_per_request") == 12
    assert value(found, "record_fields") == 3


def test_an_unknown_block_is_said_to_be_assumed(tmp_path):
    text = "@cuda.jit\ndef k(a, n):\n    x, y = cuda.grid(2)\n    if x < n:\n        a[x, y] = 1\n"
    (found,) = records(tmp_path, "access", text)
    assert any("(16, 16)" in sentence for sentence in found.readings["sectors_per_request"].assumptions)


def test_device_functions_are_followed_with_their_arguments(tmp_path):
    text = (
        "@cuda.jit(device=True)\ndef first(row):\n    return row[0]\n\n"
        "@cuda.jit\ndef k(a, n, out):\n    i = cuda.grid(1)\n    if i < n:\n        out[i] = first(a[i])\n\n"
        "def main(a, n, out):\n    k[8, 256](a, n, out)\n"
    )
    found = {record.label: record for record in records(tmp_path, "access", text)}
    assert found["a"].span.line == 6
    assert value(found["a"], "lane_axis") == "slow"
    assert value(found["out"], "sectors_per_request") == 4


def test_a_field_behind_the_varying_indices_is_not_the_fast_axis(tmp_path):
    body = "    i, j = cuda.grid(2)\n    if i < a.shape[0] and j < a.shape[1]:\n        a[{}][0] = 1\n"
    launch = "def main(a):\n    k[(8, 8), (16, 16)](a)\n"
    for index, other in (("i][j", True), ("j][i", False)):
        (found,) = records(tmp_path, "access", "@cuda.jit\ndef k(a):\n" + body.format(index) + launch)
        assert value(found, "fast_axis_thread") is other


def test_a_thread_with_its_own_row_meets_no_other_thread(tmp_path):
    body = "    i = cuda.grid(1)\n    if i < n:\n        a[{}] += 1\n"
    for index, meets in (("b[i]", True), ("i, b[i]", False)):
        text = "@cuda.jit\ndef k(a, b, n):\n" + body.format(index)
        found = next(r for r in records(tmp_path, "access", text) if value(r, "kind") == "update")
        assert value(found, "data_dependent") is meets


def test_a_row_of_unknown_length_may_be_as_short_as_one_element(tmp_path):
    text = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.shape[0]:\n        a[{}] = 1\n"
    said = (
        "The length of a row of `a` is not known: the smaller number of sectors is that of one element, "
        "the larger that of 32 bytes and more."
    )
    for index, sectors, least, because in (
        ("i, a.shape[0]", 32, 4, said),
        ("a.shape[0], i", 4, None, ""),
    ):
        (found,) = records(tmp_path, "access", text.format(index))
        reading = found.readings["sectors_per_request"]
        assert (reading.value, reading.least, reading.least_because) == (sectors, least, because)


@pytest.mark.parametrize(
    ("body", "sectors", "said"),
    [
        # Nothing tells whether rows are longer: the fewest sectors that they can take.
        ("out[i] = a[i, 0]", 4, "to have one element, as many as the kernel names."),
        ("out[i] = a[i, 0] + a[i, 2]", 12, "to have 3 elements, as many as the kernel names."),
        ("out[i] = a[i, n]", 32, None),
        ("out[i] = a[0, i]", 4, None),
    ],
)
def test_what_is_assumed_of_rows_that_no_launch_makes(tmp_path, body, sectors, said):
    found = access(tmp_path, f"i = cuda.grid(1)\nif i < n:\n    {body}", "a")
    assert value(found, "sectors_per_request") == sectors
    assert [one for one in found.readings["sectors_per_request"].assumptions if "A row" in one] == (
        [f"A row of `a` is taken {said}"] if said else []
    )


def test_nothing_is_assumed_of_rows_whose_length_is_stated(tmp_path):
    launched = "@cuda.jit\ndef k(a, out):\n    i = cuda.grid(1)\n    out[i] = a[i, 0]\n\n"
    launched += "def main(out):\n    a = np.zeros((512, 1), np.float32)\n    k[2, 256](a, out)\n"
    found = next(one for one in records(tmp_path, "access", launched) if one.label == "a")
    assert value(found, "sectors_per_request") == 4
    assert not any("is taken to have" in one for one in found.readings["sectors_per_request"].assumptions)
