"""Stores of one element in each iteration of a loop, of which the last one counts."""

from __future__ import annotations

import pytest
from surveying import records, value

STORES = {
    "a sum as it grows": ("for j in range(n):\n    s += x[i, j]\n    out[i] = s", True),
    "in a while loop": ("j = 0\nwhile j < n:\n    s += x[i, j]\n    out[i] = s\n    j += 1", True),
    "what was asked last": ("for j in range(n):\n    out[i] = x[i, j] > s", True),
    "an element for each iteration": ("for j in range(n):\n    out[j] = s", False),
    "an element for each outer iteration": (
        "for m in range(n):\n    for j in range(n):\n        s += x[m, j]\n        out[m] = s",
        True,
    ),
    "behind the loop": ("for j in range(n):\n    s += x[i, j]\nout[i] = s", False),
    "added to the element": ("for j in range(n):\n    out[i] += x[i, j]", False),
    "read in the loop": ("for j in range(n):\n    s += out[i] * x[i, j]\n    out[i] = s", False),
    "another element read in the loop": ("for j in range(n):\n    s += out[j]\n    out[i] = s", False),
    "read behind the loop": ("for j in range(n):\n    s += x[i, j]\n    out[i] = s\nx[i, 0] = out[i]", True),
    "where a search ends": (
        "for j in range(n):\n    if x[i, j] > s:\n        out[i] = j\n        break",
        False,
    ),
    "in the first iteration": ("for j in range(n):\n    if j == 0:\n        out[i] = s", False),
    "in all but the first": (
        "for j in range(n):\n    if j == 0:\n        s = 1\n    else:\n        out[i] = s",
        True,
    ),
    "where it is not the last": (
        "for j in range(n):\n    if j + 1 != n:\n        s += 1\n    else:\n        out[i] = s",
        False,
    ),
    "in the last, for some": (
        "for j in range(n):\n    if x[i, j] > s and j == n - 1:\n        out[i] = s",
        False,
    ),
    "in the last, or for some": (
        "for j in range(n):\n    if x[i, j] > s or j == n - 1:\n        out[i] = s",
        True,
    ),
    "in the first iteration of the outer loop": (
        "for m in range(n):\n    for j in range(n):\n        if m == 0:\n            out[i] = x[i, j]",
        True,
    ),
    "where the counter meets what the loop changes": (
        "for j in range(n):\n    if j == s:\n        s += 2\n        out[i] = s",
        True,
    ),
    "where the counter meets data": ("for j in range(n):\n    if j == x[i, j]:\n        out[i] = s", True),
    "in even iterations": ("for j in range(n):\n    if j % 2 == 0:\n        out[i] = s", True),
    "updated by an atomic in the loop": (
        "for j in range(n):\n    cuda.atomic.add(out, j, s)\n    out[i] = s",
        False,
    ),
}


@pytest.mark.parametrize("name", STORES)
def test_which_stores_are_overwritten(tmp_path, name):
    body, expected = STORES[name]
    text = "@cuda.jit\ndef k(x, out, n):\n    i = cuda.grid(1)\n    s = np.float32(0)\n"
    text += "".join(f"    {line}\n" for line in body.splitlines())
    found = [one for one in records(tmp_path, "access", text) if one.label == "out"]
    stores = [one for one in found if value(one, "kind") in ("store", "update")]
    assert {value(one, "overwritten") for one in stores} == {expected}


def test_an_array_in_shared_memory_is_for_others(tmp_path):
    text = (
        "@cuda.jit\ndef k(x, n):\n    own = cuda.shared.array(8, np.float32)\n"
        "    for j in range(n):\n        own[0] = x[j]\n"
    )
    found = [one for one in records(tmp_path, "access", text) if one.label == "own"]
    assert [value(one, "overwritten") for one in found] == [False]
