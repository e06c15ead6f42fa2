"""Comparisons of an `if` that could be bounds of the loops around it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

HEAD = "@cuda.jit\ndef k(a, w, n, out):\n    j, i = cuda.grid(2)\n"


def counted(folder: Path, body: str) -> list[tuple[object, object]]:
    text = HEAD + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return [
        (value(one, "counter_bounds"), value(one, "counter_trips")) for one in records(folder, "branch", text)
    ]


WINDOW = """
for dy in range({0}):
    for dx in range({0}):
        y = i + dy
        x = j + dx
        if {1}:
            out[y, x] += 1
"""
BOUNDED = {
    "two of each loop": (WINDOW.format("3", "y >= 0 and y < n and 0 <= x < n"), 4.0, 9.0),
    "as many as asked": (WINDOW.format("n", "y >= 0 and y < n and 0 <= x < n"), 4.0, None),
    "of the inner loop alone": (WINDOW.format("-4, 4", "x < a.shape[1] - 1"), 1.0, 8.0),
    "the counter at the right": (WINDOW.format("5", "n // 2 >= x"), 1.0, 5.0),
    "the counter taken off": (WINDOW.format("5", "i - dx >= 0"), 1.0, 5.0),
    "one among others": (WINDOW.format("5", "x < n and w[x] > 0 and (y > 3 or x > 3)"), 1.0, 5.0),
    "a sum with the outer counter": (WINDOW.format("5", "dy + dx < n"), 1.0, 5.0),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds(tmp_path: Path, name: str) -> None:
    body, bounds, trips = BOUNDED[name]
    assert counted(tmp_path, body) == [(bounds, trips)]


INSIDE = WINDOW.format("n", "x < n")
OTHERS = {
    "something else": WINDOW.format("n", "w[x] > n"),
    "twice the counter": WINDOW.format("n", "x + dx < n"),
    "a product of the counter": WINDOW.format("n", "dx * n < n"),
    "equal": WINDOW.format("n", "x == n"),
    "one of two": WINDOW.format("n", "x < n or y < n"),
    "not": WINDOW.format("n", "not x < n"),
    "a fraction": WINDOW.format("n", "x < 2.5"),
    "a bound that the loop changes": INSIDE.replace("+= 1", "+= 1\n            n += 1"),
    "a name given twice": INSIDE.replace("+= 1", "+= 1\n            x = 2"),
    "a counter that is given": INSIDE.replace("+= 1", "+= 1\n            dx = 2"),
    "an alternative": INSIDE + "        else:\n            out[0, 0] = 1\n",
    "more in the loop": INSIDE + "        out[0, 0] = 1\n",
    "an addition before": INSIDE.replace("x = j", "n += 1\n        x = j"),
    "a call before": INSIDE.replace("x = j", "z = cuda.atomic.add(w, 0, 1)\n        x = j"),
    "steps": INSIDE.replace("range(n)", "range(0, n, 2)"),
    "no loop": "if i < n:\n    out[i, j] = 1",
}


@pytest.mark.parametrize("name", OTHERS)
def test_no_bounds(tmp_path: Path, name: str) -> None:
    assert [bounds for bounds, _ in counted(tmp_path, OTHERS[name])] == [0.0]
