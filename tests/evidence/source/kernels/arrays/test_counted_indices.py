"""Local arrays that hang on the data in what is stored where."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a, out, n):
    i = cuda.grid(1)
    kept = cuda.local.array(32, numba.int32)
    top = 0
{body}
    out[i] = top
"""
FILLED = {
    "a list of what was found": "for j in range(n):\n    if a[j] > 0: kept[top] = j; top += 1",
    "behind the counter": "for j in range(n):\n    if a[j] > 0: kept[top + 1] = j; top += 1",
    "a stack": (
        "while top >= 0:\n    j = kept[top]\n    top -= 1\n    if a[j] > 0: top += 1; kept[top] = 2 * j"
    ),
    "an index of two": "for j in range(n):\n    if a[j] > 0: kept[top % 32] = j; top += 1",
}
OTHERS = {
    "a table": "for j in range(n):\n    top += kept[j % 32]",
    "every iteration moves on": "for j in range(n):\n    kept[top] = j\n    top += 1",
    "the loop's own counter": "for j in range(32):\n    kept[j] = j\n    if a[j] > 0:\n        top += 1",
    "a condition around the loop": "if n > 3:\n    for j in range(n): kept[top] = j; top += 1",
    "read only at the counter": "for j in range(n):\n    if a[j] > 0: out[j] = kept[top]; top += 1",
    "no loop": "if a[i] > 0:\n    kept[top] = 1\n    top += 1",
}


def filled(folder, body: str):
    text = KERNEL.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    (array,) = [one for one in records(folder, "array", text) if value(one, "space") == "local"]
    return value(array, "filled_by_data")


@pytest.mark.parametrize("name", FILLED)
def test_a_stack_or_a_list(tmp_path, name):
    assert filled(tmp_path, FILLED[name]) is True


@pytest.mark.parametrize("name", OTHERS)
def test_an_array_with_a_place_for_each_element(tmp_path, name):
    assert filled(tmp_path, OTHERS[name]) is False
