"""Indices that the size of another axis bounds."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = "@cuda.jit\ndef k(a, out):\n    i, j = cuda.grid(2)\n"
WRONG = (
    "if i < a.shape[1]:\n        for c in range(a.shape[0]):\n            out[i] = a[i, c]\n",
    "if i < a.shape[1] and j < a.shape[0]:\n        out[i] = a[i, j]\n",
    "if i >= a.shape[1] or j >= a.shape[0]:\n        return\n    out[i] = a[i, j]\n",
    "h, w = a.shape\n    if i < w and j < h:\n        out[i] = a[i, j]\n",
)
RIGHT = (
    "if i < a.shape[0]:\n        for c in range(a.shape[1]):\n            out[i] = a[i, c]\n",
    # A square, whose sizes are one.
    "n = a.shape[0]\n    if i < n and j < n:\n        out[i] = a[i, j]\n",
    "if i < a.shape[0]:\n        for c in range(a.shape[0]):\n            out[i] = a[i, c]\n",
    "if i < a.shape[1] and j < a.shape[0] and i < a.shape[0] and j < a.shape[1]:\n        out[i] = a[i, j]\n",
    "if i < a.shape[1] and j < a.shape[0]:\n        out[i] = a[j, i]\n",
    "if i < out.shape[0] and j < a.shape[0]:\n        out[i] = a[i, j]\n",
)


def told(tmp_path, text: str) -> set[tuple[object, object]]:
    found = [one for one in records(tmp_path, "access", text) if value(one, "bound_by_axis")]
    assert all(value(one, "axes_differ") is True for one in found)
    return {(value(one, "own_axis"), value(one, "bound_by_axis")) for one in found}


@pytest.mark.parametrize("body", WRONG)
def test_the_axes_are_exchanged(tmp_path, body):
    assert told(tmp_path, f"{HEAD}    {body}") == {("a.shape[0]", "a.shape[1]")}


@pytest.mark.parametrize("body", RIGHT)
def test_each_index_may_have_its_own(tmp_path, body):
    assert told(tmp_path, f"{HEAD}    {body}") == set()


def row_sums(tmp_path, shape: str) -> set[tuple[object, object]]:
    head = "@cuda.jit\ndef k(a, out):\n    i = cuda.grid(1)\n    if i < out.shape[0]:\n"
    body = "        for c in range(a.shape[0]):\n            out[i] += a[i, c]\n"
    host = f"def run():\n    k[8, 64](cuda.to_device(np.ones({shape})), cuda.to_device(np.zeros(500)))\n"
    return told(tmp_path, head + body + host)


def test_sizes_that_a_launch_shows_differ(tmp_path):
    assert row_sums(tmp_path, "(500, 64)") == {("a.shape[1]", "a.shape[0]")}


@pytest.mark.parametrize("shape", ["(500, 500)", "size"])
def test_sizes_that_may_be_the_same(tmp_path, shape):
    assert row_sums(tmp_path, shape) == set()
