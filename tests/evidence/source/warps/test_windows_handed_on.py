"""A window that a kernel hands to a device function, with the lanes along either axis."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

MEAN = "@cuda.jit(device=True)\ndef mean(w):\n    return (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) / 4\n"


@pytest.mark.parametrize(
    ("names", "slow", "sectors", "exchanged"),
    [
        # Blocks of (16, 16): a warp has two neighbours in each of 16 rows. At `w[1, 0]` they are elements
        # -1 and 0, 1 and 2, 3 and 4, 5 and 6: the first lies in two sectors, so that one warp of four takes
        # 32 and the others 16. Exchanged, 16 neighbours from -1 on take three in each of two rows.
        ("i, j", "slow", 20, 6),
        ("j, i", "fast", 6, None),
    ],
)
def test_the_window_tells_along_which_axis_the_lanes_run(
    tmp_path: Path, names: str, slow: str, sectors: int, exchanged: int | None
) -> None:
    text = MEAN + f"@cuda.jit\ndef k(a, out):\n    {names} = cuda.grid(2)\n"
    text += "    out[i, j] = mean(a[i - 1:i + 2, j - 1:j + 2])\n"
    (row,) = records(tmp_path, "row", text)
    assert value(row, "lane_axis") == slow
    assert value(row, "fast_axis_thread") is (slow == "slow")
    assert value(row, "sectors_per_request") == sectors
    assert value(row, "exchanged_sectors_per_request") == exchanged


def test_a_row_for_each_thread_is_no_window(tmp_path: Path) -> None:
    text = MEAN.replace("w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]", "w[0] + w[1]")
    text += "@cuda.jit\ndef k(a, out):\n    i = cuda.grid(1)\n    out[i] = mean(a[i])\n"
    (row,) = records(tmp_path, "row", text)
    assert value(row, "lane_axis") == "slow"
    assert value(row, "fast_axis_thread") is False
