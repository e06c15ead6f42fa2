"""Tests whose comparisons exclude or complete each other, and those that decide something."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a, out, n, states):
    i = cuda.grid(1)
    if i < out.size:
        m = a[i]
{body}
"""


def said(folder: Path, body: str) -> list[object]:
    text = KERNEL.format(body="\n".join(f"        {line}" for line in body.splitlines()))
    return [value(one, "always") for one in records(folder, "test", text)]


@pytest.mark.parametrize(
    ("body", "always"),
    [
        ("out[i] = 1 if m == 2 and m == 3 else 0", "fails"),
        ("if m == 2 and 3 == m and i > 0:\n    out[i] = 1", "fails"),
        ("if m != 2 or m != 3:\n    out[i] = 1", "holds"),
        ("alive = abs(m) == 2 and abs(m) == -3\nout[i] = alive", "fails"),
        ("inside = m >= 0 or m < n.size\nout[i] = m < 3 and m >= 5", "fails"),
    ],
)
def test_the_parts_exclude_or_complete_each_other(tmp_path: Path, body: str, always: str) -> None:
    assert said(tmp_path, body)[-1] == always


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = 1 if m == 2 or m == 3 else 0",
        "if m != 2 and m != 3:\n    out[i] = 1",
        "if m == 2 and a[i + 1] == 3:\n    out[i] = 1",
        "if m == n and m == 3:\n    out[i] = 1",
        "if m == 2 and m == 2.0:\n    out[i] = 1",
        "if draw(states, i) == 1 and draw(states, i) == 2:\n    out[i] = 1",
        "out[i] = m > 3 and m < 5",
        # Its branch says it.
        "if m < 0 and m >= 5:\n    out[i] = 1",
    ],
)
def test_something_is_decided(tmp_path: Path, body: str) -> None:
    assert said(tmp_path, body) == ["decides"]
