"""Guards over several axes that a thread passes which is inside along one of them alone."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

OUT = "out[y, x] = 1"
HALF = [
    f"if x >= out.shape[1] and y >= out.shape[0]:\n    return\n{OUT}",
    f"if x < out.shape[1] or y < out.shape[0]:\n    {OUT}",
    f"if not (x < out.shape[1] or y < out.shape[0]):\n    return\n{OUT}",
    f"inside = x < m or y < n\nif inside:\n    {OUT}",
    f"if (x >= m) & (y >= n):\n    return\n{OUT}",
    f"if x > m - 1 and y > n - 1:\n    pass\nelse:\n    {OUT}",
]
WHOLE = [
    f"if x >= out.shape[1] or y >= out.shape[0]:\n    return\n{OUT}",
    f"if x < out.shape[1] and y < out.shape[0]:\n    {OUT}",
    f"if not (x < m and y < n):\n    return\n{OUT}",
    f"if x >= m and y >= n:\n    return\nif x < m and y < n:\n    {OUT}",
    # No bounds of two axes: another question, one axis, data.
    f"if x < m or n > 3:\n    {OUT}",
    f"if x < m or x < n:\n    {OUT}",
    f"if x < m or out[0, 0] > 1:\n    {OUT}",
    # From below: what is left out there is the border.
    f"if x < 1 and y < 1:\n    return\n{OUT}",
    f"if x == m and y == n:\n    return\n{OUT}",
    # Nothing is asked at all.
    OUT,
]


def _of_branches(folder: Path, body: str) -> list[object]:
    text = "@cuda.jit\ndef k(out, m, n):\n    x, y = cuda.grid(2)\n" + textwrap.indent(body, "    ")
    return [value(one, "half_guard") for one in records(folder, "branch", text)]


@pytest.mark.parametrize("body", HALF)
def test_a_guard_that_one_axis_is_enough_for(tmp_path: Path, body: str) -> None:
    assert _of_branches(tmp_path, body) == [True]


@pytest.mark.parametrize("body", WHOLE)
def test_a_guard_of_all_axes_or_of_something_else(tmp_path: Path, body: str) -> None:
    assert not any(_of_branches(tmp_path, body))
