"""How far past the end of an array the bounds around an access let its index go."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

# The elements past the end of the first load of `a`.
PAST = [
    (1, "if i < a.shape[0]:\n    out[i] = a[i + 1]"),
    (2, "if i < a.size:\n    out[i] = a[i + 2]"),
    (1, "if i < len(a) - 1:\n    out[i] = a[i + 2]"),
    (1, "if i >= a.shape[0]:\n    return\nout[i] = a[i + 1]"),
    (1, "n = a.shape[0]\nif i > 0 and i < n:\n    out[i] = a[i + 1]"),
    (1, "if i <= a.shape[0]:\n    out[i] = a[i]"),
    (2, "if i < a.shape[0]:\n    for k in range(3):\n        out[i] += a[i + k]"),
    # Four elements for each thread, a block of 64 threads apart: the last is 3 blocks behind the first.
    (192, "if i < a.size:\n    for k in range(4):\n        out[i] += a[i + k * cuda.blockDim.x]"),
    (
        192,
        "if i < a.size:\n    for k in range(4):\n        j = i + k * cuda.blockDim.x\n        out[j] = a[j]",
    ),
    (1, "for j in range(i, a.shape[0], cuda.gridsize(1)):\n    out[j] = a[j + 1]"),
]
INSIDE = [
    "if i < a.shape[0]:\n    out[i] = a[i]",
    "if i < a.shape[0] - 1:\n    out[i] = a[i + 1]",
    "if i + 1 < a.shape[0]:\n    out[i] = a[i + 1]",
    "if i < a.shape[0]:\n    out[i] = a[i - 1]",
    "if i < out.shape[0]:\n    out[i] = a[i + 1]",
    "if i < m:\n    out[i] = a[i + 1]",
    "if i < a.shape[0] and i < m:\n    out[i] = a[i + 1]",
    "if i < a.shape[0] and i != a.shape[0] - 1:\n    out[i] = a[i + 1]",
    "n = len(a)\nif i < n:\n    if i == n - 1:\n        out[i] = 0\n    else:\n        out[i] = a[i + 1]",
    "if i < a.shape[0]:\n    out[i] = a[min(i + 1, a.shape[0] - 1)]",
    "if i < a.shape[0]:\n    out[i] = a[(i + 1) % a.shape[0]]",
    "if i < len(a):\n    for k in range(3):\n        if i + k < len(a):\n            out[i] += a[i + k]",
    "if i < a.shape[0]:\n    for k in range(-2, 1):\n        out[i] += a[i + k]",
    "for k in range(4):\n    j = i + k * cuda.blockDim.x\n    if j < a.size:\n        out[j] = a[j]",
    "if i + 3 * cuda.blockDim.x < a.size:\n    for k in range(4):\n"
    "        out[i] += a[i + k * cuda.blockDim.x]",
    "if i < a.size:\n    for k in range(4):\n        out[i] += a[i + k * cuda.gridDim.x]",
    "if i < a.shape[0]:\n    for k in range(m):\n        out[i] += a[i + k]",
]


# The elements past the end of the first load of `a`, less what its index adds to the position.
POSITION_PAST = [
    (1, "if i <= a.shape[0]:\n    out[i] = a[i]"),
    (1, "if i > len(a):\n    return\nout[i] = a[i]"),
    # The element used is that of the size.
    (1, "if i <= a.shape[0] + 1:\n    out[i] = a[i - 1]"),
    (1, "if i <= a.shape[0]:\n    out[i] = a[i + 1]"),
    (0, "if i < a.shape[0]:\n    out[i] = a[i + 1]"),
    (0, "if 0 < i and i <= a.shape[0]:\n    out[i] = a[i - 1]"),
    (0, "if i <= a.shape[0] - 1:\n    out[i] = a[i]"),
    (0, "if i <= m:\n    out[i] = a[i]"),
]


def _past_end(folder: Path, body: str, metric: str) -> object:
    text = "@cuda.jit\ndef k(a, out, m):\n    i = cuda.grid(1)\n" + textwrap.indent(body, "    ")
    text += "\ndef run(a, out, m):\n    k[(a.size + 63) // 64, 64](a, out, m)\n"
    found = [one for one in records(folder, "access", text) if one.label == "a"]
    return value(found[0], metric)


def _elements_past_end(folder: Path, body: str) -> object:
    return _past_end(folder, body, "elements_past_end")


@pytest.mark.parametrize(("elements", "body"), POSITION_PAST)
def test_a_guard_that_lets_the_size_through(tmp_path: Path, elements: int, body: str) -> None:
    assert _past_end(tmp_path, body, "position_past_end") == elements


@pytest.mark.parametrize(("elements", "body"), PAST)
def test_a_guard_of_another_index(tmp_path: Path, elements: int, body: str) -> None:
    assert _elements_past_end(tmp_path, body) == elements


@pytest.mark.parametrize("body", INSIDE)
def test_a_guard_of_the_index_or_of_more_than_is_known(tmp_path: Path, body: str) -> None:
    assert _elements_past_end(tmp_path, body) == 0
