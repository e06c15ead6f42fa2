"""Barriers of the block and of the whole grid, and which threads they miss."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value


def _barrier(folder: Path, body: str) -> dict[str, object]:
    text = "@cuda.jit\ndef k(a, out, n, limit):\n    i = cuda.grid(1)\n" + textwrap.indent(body, "    ")
    (found,) = records(folder, "barrier", text)
    metrics = ("group", "divergent", "in_bounds_guard", "after_divergent_exit", "after_bounds_exit")
    return {metric: value(found, metric) for metric in metrics}


@pytest.mark.parametrize(
    "body",
    [
        "cuda.cg.this_grid().sync()",
        "grid = cuda.cg.this_grid()\ngrid.sync()",
        "whole = cuda.cg.this_grid()\nfor step in range(n):\n    whole.sync()",
    ],
)
def test_a_barrier_of_the_grid(tmp_path: Path, body: str) -> None:
    found = _barrier(tmp_path, body)
    assert (found["group"], found["divergent"], found["after_divergent_exit"]) == ("grid", False, False)


def test_other_methods_of_that_name_are_none(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(a, stream):\n    stream.sync()\n    a.sync()\n"
    assert records(tmp_path, "barrier", text) == []


def test_blocks_that_part_miss_a_barrier_of_the_grid_only(tmp_path: Path) -> None:
    body = "if cuda.blockIdx.x == 0:\n    {}"
    assert _barrier(tmp_path, body.format("cuda.cg.this_grid().sync()"))["divergent"] is True
    assert _barrier(tmp_path, body.format("cuda.syncthreads()"))["divergent"] is False


@pytest.mark.parametrize(
    ("test", "bounds"),
    [
        ("i >= n", True),
        ("i >= a.shape[0] or i >= n", True),
        ("n <= i", True),
        ("i <= 0 or i >= n", False),
        ("i >= a.shape[0] - 1", False),
        ("i % 2 == 0", False),
        ("i >= a.shape[0] and i >= n", False),
        ("a[i] > limit", False),
    ],
)
def test_which_threads_leave_before_a_barrier(tmp_path: Path, test: str, bounds: bool) -> None:
    found = _barrier(tmp_path, f"if {test}:\n    return\ncuda.syncthreads()")
    assert (found["after_divergent_exit"], found["after_bounds_exit"]) == (True, bounds)


@pytest.mark.parametrize(
    ("test", "bounds"),
    [("i < n", True), ("i < n and i < a.size", True), ("i < n and a[i] > 0", False), ("a[i] > limit", False)],
)
def test_whether_a_barrier_stands_in_a_bounds_guard(tmp_path: Path, test: str, bounds: bool) -> None:
    found = _barrier(tmp_path, f"if {test}:\n    cuda.syncthreads()")
    assert (found["divergent"], found["in_bounds_guard"]) == (True, bounds)
