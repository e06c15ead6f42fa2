"""Copies of the same data that launches of the loop change on the device."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

PROGRAM = """
import cupy as cp

@cuda.jit(device=True)
def scaled(row, by):
    for i in range(row.size):
        row[i] = row[i] * by

@cuda.jit
def add(a, sums):
    i = cuda.grid(1)
    if i < sums.size:
        sums[i] += a[i]

@cuda.jit
def scale(a, rows):
    i = cuda.grid(1)
    if i < a.size:
        scaled(rows[i], a[i])

@cuda.jit
def put(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i]

@cuda.jit
def put_even(a, out):
    i = cuda.grid(1)
    if i < out.size and i % 2 == 0:
        out[i] = a[i]

def main(x, y, n, d, steps, unknown):
    for k in range(steps):
{body}
"""
CHANGED = [
    "e = cuda.to_device(x); add[8, 64](d, e)",
    "e = cuda.to_device(x); scale[8, 64](d, e)",
    "e = cuda.to_device(x); add[8, 64](d, e[4:])",
    "e = cuda.to_device(x); scale[8, 64](d, e.reshape(4, 4))",
    "d.copy_to_device(x); add[8, 64](y, d)",
    "cuda.to_device(x, to=d); add[8, 64](y, d)",
    "e = cuda.to_device(x); put_even[8, 64](d, e)",
    "e = cuda.to_device(x); put[8, 64](e, d); put[8, 64](d, e)",
    "e = cuda.to_device(x); put[8, 64](d, e); add[8, 64](d, e)",
    "e = cuda.to_device(x); put[k, 64](d, e)",
    "e = cuda.to_device(x); put[8, 64](d, e[k:])",
]
KEPT = [
    "e = cuda.to_device(x); add[8, 64](e, d)",
    "e = cuda.to_device(x); put[8, 64](d, e)",
    "e = cuda.to_device(x); put[8, 64](d, e); add[8, 64](e, d)",
    "e = cuda.to_device(x); f = cuda.to_device(y); put[8, 64](e, f)",
    "e = cuda.to_device(x); unknown[8, 64](d, e)",
    "e = cuda.to_device(x)",
    "d.copy_to_device(x); add[8, 64](d, y)",
]


def _changes(folder: Path, body: str) -> object:
    copies = records(folder, "transfer", PROGRAM.format(body=f"        {body}"))
    return value(copies[0], "changes_on_device")


@pytest.mark.parametrize("body", CHANGED)
def test_a_launch_of_the_loop_changes_the_copy(tmp_path: Path, body: str) -> None:
    assert _changes(tmp_path, body) is True


@pytest.mark.parametrize("body", KEPT)
def test_launches_leave_the_copy_as_the_next_iteration_needs_it(tmp_path: Path, body: str) -> None:
    assert _changes(tmp_path, body) is False


def test_a_copy_of_cupy_is_changed_by_a_kernel_of_numba_as_well(tmp_path: Path) -> None:
    for kernel, changed in (("add", True), ("put", False)):
        program = PROGRAM.format(body=f"        {kernel}[8, 64](d, cp.asarray(h))")
        program = program.replace("    for k in", "    h = np.ones(9)\n    for k in")
        (copied,) = records(tmp_path, "transfer", program)
        assert value(copied, "changes_on_device") is changed, kernel


def test_a_launch_behind_the_loop_changes_no_copy_of_it(tmp_path: Path) -> None:
    program = PROGRAM.format(body="        e = cuda.to_device(x)\n    add[8, 64](d, e)")
    assert value(records(tmp_path, "transfer", program)[0], "changes_on_device") is False
