"""Neighbours on both sides of the own element, with and without a condition that leaves out the border."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

WITHOUT = [
    "out[i] = a[i - 1] + a[i + 1]",
    "out[i] = a[i] - a[i - 2]\nout[i] += a[i + 2]",
    "for k in range(-1, 2):\n    out[i] += a[i + k]",
    "for k in range(3):\n    out[i] += a[i + k - 1]",
    "if n > 1:\n    out[i] = a[i - 1] + a[i + 1]",
    "j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x\nout[j] = a[j + 1] - a[j - 1]",
]
WITH = [
    "if 0 < i < a.shape[0] - 1:\n    out[i] = a[i - 1] + a[i + 1]",
    "if i < 1 or i >= n - 1:\n    return\nout[i] = a[i - 1] + a[i + 1]",
    # Each border asked for by itself, or left to what data says.
    "if i > 0:\n    out[i] = a[i - 1]\nout[i] += a[i + 1]",
    "if i != 0:\n    out[i] = a[i - 1] + a[i + 1]",
    "if b[i] == 1:\n    out[i] = a[i - 1] + a[i + 1]",
    # One side alone: the grid may be smaller by one than the array.
    "out[i] = a[i + 1] - a[i]",
    "out[i] = a[i] - a[i - 1]",
    "for k in range(3):\n    out[i] += a[i + k]",
    # Wrapped, clamped, of other arrays, of a position that is moved.
    "out[i] = a[(i - 1) % n] + a[(i + 1) % n]",
    "out[i] = a[max(i - 1, 0)] + a[min(i + 1, n - 1)]",
    "out[i] = a[i - 1] + b[i + 1]",
    "j = i + 1\nout[j] = a[j - 1] + a[j + 1]",
    "for j in range(1, n - 1):\n    out[j] = a[j - 1] + a[j + 1]",
]


def _any(folder: Path, body: str) -> bool:
    text = "@cuda.jit\ndef kernel(a, b, out, n):\n    i = cuda.grid(1)\n" + textwrap.indent(body, "    ")
    found = [value(one, "unguarded_neighbour") for one in records(folder, "access", text)]
    assert None not in found
    return True in found


@pytest.mark.parametrize("body", WITHOUT)
def test_neighbours_on_both_sides_of_the_border(tmp_path: Path, body: str) -> None:
    assert _any(tmp_path, body)


@pytest.mark.parametrize("body", WITH)
def test_a_border_that_is_left_out_or_not_there(tmp_path: Path, body: str) -> None:
    assert not _any(tmp_path, body)
