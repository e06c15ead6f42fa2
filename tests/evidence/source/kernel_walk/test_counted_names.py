"""What loops of a fixed number of iterations leave of the names that they count."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
P = 4

@cuda.jit
def k(a, out, m):
    i = cuda.grid(1)
    n = 1
{body}
    for j in range(a.shape[1]):
        out[i, j] = a[i, j] // n
"""
CONSTANT = {
    "one loop": "for d in range(8):\n    n += 2",
    "counted down": "for d in range(8):\n    n -= 1",
    "a window": "for dy in range(-P, P + 1):\n    for dx in range(-P, P + 1):\n        n += 1",
    "beside other work": "s = 0\nfor d in range(8):\n    s += a[i, d]\n    n += 1\nout[i, 0] = s",
    "three loops": (
        "for d in range(2):\n    for e in range(3):\n        for f in range(4):\n            n += 1"
    ),
    "with a name": "step = 3\nfor d in range(8):\n    n += step",
}
OPEN = {
    "in a loop that may have no iteration": (
        "for r in range(m):\n    n = 2\n    for d in range(3):\n        n += 1"
    ),
    "under a condition": "for d in range(8):\n    if a[i, d] > 0:\n        n += 1",
    "as many as a parameter says": "for d in range(m):\n    n += 1",
    "left early": "for d in range(8):\n    if a[i, d] > 0:\n        break\n    n += 1",
    "inner loop left early": (
        "for d in range(8):\n    for e in range(3):\n        if a[i, e] > 0:\n            break\n"
        "        n += 1"
    ),
    "an inner loop that grows": "for d in range(8):\n    for e in range(d):\n        n += 1",
    "twice in an iteration": "for d in range(8):\n    n += 1\n    if m > d:\n        n += 1",
    "a step that changes": "s = 1\nfor d in range(8):\n    n += s\n    s += 1",
    "a step from data": "for d in range(8):\n    n += a[i, d]",
    "a while loop": "while n < m:\n    n += 1",
    "an inner loop left out": (
        "for d in range(8):\n    if a[i, d] > 0:\n        continue\n    for e in range(3):\n        n += 1"
    ),
}


def divisor(folder: Path, body: str) -> object:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    text = KERNEL.format(body=indented)
    found = [one for one in records(folder, "operation", text) if value(one, "operator") == "floor_divide"]
    return value(found[-1], "divisor")


@pytest.mark.parametrize("name", CONSTANT)
def test_a_constant_is_left(tmp_path: Path, name: str) -> None:
    assert divisor(tmp_path, CONSTANT[name]) == "constant"


@pytest.mark.parametrize("name", OPEN)
def test_what_is_left_is_not_known(tmp_path: Path, name: str) -> None:
    assert divisor(tmp_path, OPEN[name]) == "runtime"
