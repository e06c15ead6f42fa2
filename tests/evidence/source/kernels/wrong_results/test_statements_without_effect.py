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


@pytest.mark.parametrize("line", ["cuda.syncthreads", "cuda.threadfence", "cuda.syncwarp"])
def test_a_function_is_named(tmp_path, line):
    (found,) = records(tmp_path, "statement", f"@cuda.jit\ndef k(a):\n    a[0] = 1\n    {line}\n")
    assert value(found, "uncalled_function") == line
    assert value(found, "drops_value") is False


@pytest.mark.parametrize("line", ["a[0] + 1", "math.sqrt(a[0])", "-a[0]", "abs(a[0])", "twice(a[0])", "a[0]"])
def test_a_value_is_dropped(tmp_path, line):
    device = "@cuda.jit(device=True)\ndef twice(v):\n    return v * 2\n"
    (found,) = records(tmp_path, "statement", f"{device}@cuda.jit\ndef k(a):\n    a[0] = 1\n    {line}\n")
    assert value(found, "drops_value") is True
    assert value(found, "uncalled_function") == ""


@pytest.mark.parametrize(
    "line",
    [
        "cuda.syncthreads()", "a[0] = math.sqrt(a[0])", "put(a)", "unknown(a)", "cuda.atomic.add(a, 0, 1)",
        "'a text'", "...", "print(a[0])", "next_of(a)",
    ],
)  # fmt: skip
def test_a_line_has_an_effect_or_is_meant_to_have_none(tmp_path, line):
    device = "@cuda.jit(device=True)\ndef put(a):\n    a[0] = 2\n"
    device += "@cuda.jit(device=True)\ndef next_of(a):\n    a[0] += 2\n    return a[0]\n"
    assert records(tmp_path, "statement", f"{device}@cuda.jit\ndef k(a):\n    a[0] = 1\n    {line}\n") == []
