"""Guards of a neighbour's element that ask for the own index a second time."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

AGAIN = [
    "if i < n:\n    if i < n:\n        a[i + 1] = 1",
    "if i < n:\n    for k in range(m):\n        if i < n:\n            a[i + 1] += 1",
    "if i >= n:\n    return\nif i < n:\n    a[i + 2] = 1",
    "if i < n:\n    if i <= n - 1:\n        cuda.atomic.add(a, i + 1, 1)",
    "last = a[0] + 1\nif i < last:\n    if i < last:\n        a[i + 1] = 1",
]
NEEDED = [
    "if i < n:\n    if i + 1 < n:\n        a[i + 1] = 1",
    "if i < n:\n    if i < n - 1:\n        a[i + 1] = 1",
    "if i < n:\n    if i < m:\n        a[i + 1] = 1",
    # Asked twice, and used as it is asked.
    "if i < n:\n    if i < n:\n        a[i] = a[i - 1]",
    # Something else bounds the neighbour.
    "if i < n:\n    if i + 1 < m:\n        if i < n:\n            a[i + 1] = 1",
    "if i < n:\n    a[i + 1] = 1",
    # Another number by the time of the second test.
    "if i < n:\n    i += m\n    if i < n:\n        a[i + 1] = 1",
]


def _asked(folder: Path, body: str) -> list[object]:
    text = "@cuda.jit\ndef kernel(a, n, m):\n    i = cuda.grid(1)\n" + textwrap.indent(body, "    ")
    return [value(one, "asked_before") for one in records(folder, "branch", text)]


@pytest.mark.parametrize("body", AGAIN)
def test_a_guard_that_holds_in_any_case(tmp_path: Path, body: str) -> None:
    assert _asked(tmp_path, body)[-1] is True


@pytest.mark.parametrize("body", NEEDED)
def test_a_guard_that_asks_for_more(tmp_path: Path, body: str) -> None:
    assert True not in _asked(tmp_path, body)
