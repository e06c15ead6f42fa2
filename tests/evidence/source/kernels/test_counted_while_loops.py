"""A `while` loop that counts is walked like a `for` loop over a range."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = "@cuda.jit\ndef k(x, out, n):\n    i = cuda.grid(1)\n    s = np.float32(0)\n{}    out[i, 0] = s\n"
FOR = "for j in range(1, n):\n    {}"
WHILE = "j = 1\nwhile j < n:\n    {}\n    j += 1"
OTHER_WAY = "j = n\nwhile j > 0:\n    {}\n    j -= 1"


def loads(folder, label: str, body: str):
    text = KERNEL.format("".join(f"    {line}\n" for line in body.splitlines()))
    return [
        one for one in records(folder, "access", text) if one.label == label and value(one, "kind") == "load"
    ]


@pytest.mark.parametrize(
    ("loop", "statement", "carried"),
    [
        (FOR, "out[j, i] = out[j - 1, i] + x[i, j]", True),
        (WHILE, "out[j, i] = out[j - 1, i] + x[i, j]", True),
        # What is stored where the loop ends no iteration loads.
        (WHILE, "s += out[j, i]\n    if j > 5:\n        out[j + 1, i] = s\n        break", False),
        (WHILE, "s += out[j, i]\n    if j > 5:\n        out[j + 1, i] = s", True),
        (WHILE, "out[j, i] = out[j - 2, i] + x[i, j]", False),
        (WHILE, "out[j, i] = out[j + 1, i] + x[i, j]", False),
        (OTHER_WAY, "out[j, i] = out[j + 1, i] + x[i, j]", True),
        (OTHER_WAY, "out[j, i] = out[j - 1, i] + x[i, j]", False),
        (WHILE, "out[2 * j, i] = out[2 * j - 2, i] + x[i, j]", True),
    ],
)
def test_what_the_iteration_before_has_stored(tmp_path, loop, statement, carried):
    assert {value(one, "carried") for one in loads(tmp_path, "out", loop.format(statement))} == {carried}


@pytest.mark.parametrize("loop", [FOR, WHILE])
@pytest.mark.parametrize(("index", "window"), [("i + j", True), ("i - j", True), ("i + 2 * j", False)])
def test_windows_that_neighbours_read_too(tmp_path, loop, index, window):
    found = loads(tmp_path, "x", loop.format(f"s += x[{index}]"))
    assert {value(one, "reread_by_neighbours") for one in found} == {window}
