"""Tests of a range whose halves cover all numbers, or none; tests of fractions that were rounded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from surveying import records, value

from advisor.evidence.source.kernels.bounds.range_tests import range_test_outcome
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import read_module

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


COMPARISON = st.builds(
    lambda operator, bound, mirrored: f"{bound} {operator} i" if mirrored else f"i {operator} {bound}",
    st.sampled_from(["<", "<=", ">", ">="]), st.integers(-3, 3), st.booleans(),
)  # fmt: skip


@given(COMPARISON, COMPARISON, st.sampled_from(["and", "or"]))
def test_what_is_said_of_numbers_is_so(one: str, other: str, operator: str) -> None:
    test = f"{one} {operator} {other}"
    module = read_module(SourceText("k.py", test), "k.py")
    outcome = range_test_outcome(ast.parse(test, mode="eval").body, module)
    results = {eval(test, {"i": i / 2}) for i in range(-9, 10)}
    assert outcome == {(True,): "holds", (False,): "fails"}.get(tuple(results))


@pytest.mark.parametrize(
    ("branch", "rounded"),
    [
        # What lies between -1 and 0 is 0, by the rounding or by the branch.
        ("if at < 0:\n    at = 0", False),
        ("if 0 > at:\n    at = 0", False),
        ("if at < 0:\n    at = 0\nelif at >= n:\n    at = n - 1", False),
        ("if at < 0:\n    at = 1", True),
        ("if at < 0:\n    i = 0", True),
        ("if at >= 0:\n    at = 0", True),
        ("if at < 0:\n    at = 0\nelse:\n    x[at] = 1", True),
        ("if at < 0:\n    at = 0\n    x[i] = 1", True),
        ("if at < 0:\n    return", True),
    ],
)
def test_a_number_limited_to_zero_is_not_tested_for_its_sign(
    tmp_path: Path, branch: str, rounded: bool
) -> None:
    lines = "\n".join("    " + line for line in branch.splitlines())
    text = (
        "@cuda.jit\ndef k(x, y, n):\n    i = cuda.grid(1)\n    at = int(y[i] * 3.5)\n"
        + lines
        + "\n    x[at] = 2\n"
    )
    first = records(tmp_path, "branch", text)[0]
    assert value(first, "tests_truncated") is rounded
