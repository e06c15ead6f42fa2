"""Tests of a range whose halves cover all numbers, or none; tests of fractions that were rounded."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(x, out, n, low):
    i = cuda.grid(1)
    at = int((x[i] - low) / 3.0)
    down = int(math.floor((x[i] - low) / 3.0))
    whole = int(x[i])
    if {test}:
        out[0] = 1.0
"""
HOLDS = (
    "i >= 0 or i < n", "i < n or i >= 0", "0 <= i or n > i", "i >= 0 or i < x.shape[0]",
    "i > -1 or i < len(x)", "at >= 0 or at < out.shape[0]", "i > 3 or i < 9", "i >= 5 or i <= 5",
    "n > 2 and (i >= 0 or i < n)",
)  # fmt: skip
FAILS = (
    "i < 0 and i >= n", "i >= n and i < 0", "0 > i and n <= i", "i < 3 and i > 9",
    "i < 0 and i >= x.shape[0]", "n > 2 or (i < 0 and i >= n)",
)  # fmt: skip
DECIDES = (
    "i >= 0 and i < n", "i < 0 or i >= n", "i >= 5 or i < 3", "i >= n or i < 0", "i >= 0 or at < n",
    "i < 5 and i > 3", "i >= n and at >= n", "i > low or i < n", "i != 0 or i < n", "i >= 0 or n < i",
    "i > 5 or i < 5",
)  # fmt: skip
ROUNDED = ("at >= 0", "at < 0", "0 <= at", "0 > at", "at > -1", "at >= 0 and at < n", "0 <= at < n")
EXACT = ("at > 0", "at < n", "at >= 1", "down >= 0", "whole >= 0", "i >= 0", "x[i] >= 0", "at == 0")


def _test(folder: Path, test: str, metric: str) -> object:
    (branch,) = records(folder, "branch", KERNEL.format(test=test))
    return value(branch, metric)


@pytest.mark.parametrize(
    ("test", "outcome"),
    [(one, "holds") for one in HOLDS]
    + [(one, "fails") for one in FAILS]
    + [(one, "decides") for one in DECIDES],
)
def test_what_a_range_test_always_does(tmp_path: Path, test: str, outcome: str) -> None:
    assert _test(tmp_path, test, "always") == outcome


@pytest.mark.parametrize(
    ("test", "rounded"), [(one, True) for one in ROUNDED] + [(one, False) for one in EXACT]
)
def test_whether_a_fraction_was_rounded_toward_zero(tmp_path: Path, test: str, rounded: bool) -> None:
    assert _test(tmp_path, test, "tests_truncated") is rounded
