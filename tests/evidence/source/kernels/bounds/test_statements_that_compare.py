"""Statements that compare and do nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value


@pytest.mark.parametrize(
    ("line", "assigns"),
    [("a[i] == 0", True), ("i == 0", True), ("i < a.size", False), ("0 == i", False), ("0 == i == 1", False)],
)
def test_a_comparison_that_stands_by_itself(tmp_path: Path, line: str, assigns: bool) -> None:
    [found] = _statements(tmp_path, line)
    assert value(found, "only_compares") is True
    assert value(found, "like_assignment") is assigns


@pytest.mark.parametrize(
    "line",
    ["a[i] = 0", "a[i] = i == 0", "x = i == 0", "if i == 0: a[i] = 1", '"i == 0"'],
)
def test_a_statement_that_does_something(tmp_path: Path, line: str) -> None:
    assert _statements(tmp_path, line) == []


def test_a_comparison_in_a_function_that_the_kernel_calls(tmp_path: Path) -> None:
    head = "@cuda.jit(device=True)\ndef reset(a, i):\n    a[i] == 0\n\n\n"
    assert len(_statements(tmp_path, "reset(a, i)", head)) == 1


def _statements(folder: Path, line: str, head: str = "") -> list:  # type: ignore[type-arg]
    text = f"{head}@cuda.jit\ndef kernel(a):\n    i = cuda.grid(1)\n    {line}\n"
    return list(records(folder, "statement", text))
