"""Copies of the same data in each iteration, and of arrays that are made for the copy alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

PROGRAM = """
import cupy as cp

@cuda.jit
def k(a, b):
    a[cuda.grid(1)] = b[cuda.grid(1)]

def main(x, n, d, write, log):
    for step in range(n):
{body}
        k[8, 64](d, d)
"""
SAME = [
    "e = cuda.to_device(x)",
    "e = cuda.to_device(x.astype(np.float32))",
    "e = cuda.to_device(np.ascontiguousarray(x[:, 0]))",
    "e = cuda.to_device(np.sqrt(x))",
    "d.copy_to_device(x)",
    "e = cuda.to_device(x); print(len(x), np.mean(x))",
]
OTHER = [
    "e = cuda.to_device(x[step])",
    "e = cuda.to_device(write(x))",
    "e = cuda.to_device(np.random.rand(n))",
    "e = cuda.to_device(x); write(x)",
    "e = cuda.to_device(x); np.copyto(x, 0.0)",
    "e = cuda.to_device(x); np.sqrt(x, out=x)",
    "e = cuda.to_device(x); x[0] = step",
    "x = x + 1; e = cuda.to_device(x)",
    "e = cuda.to_device(x.astype(np.float32)); x[step] = 0",
    "e = cuda.to_device(x.copy()); k[8, 64](x, d)",
]
MADE = {
    "d.copy_to_device(np.zeros(n))": None,
    "d.copy_to_device(np.zeros(1000, dtype=np.int32))": 1000,
    "e = cuda.to_device(np.full((100, 20), 2.0))": 2000,
    "e = cuda.to_device(np.arange(500).astype(np.float32))": 500,
    "e = cuda.to_device(np.zeros_like(x))": None,
    "start = np.ones(64); d.copy_to_device(start)": 64,
    "e = cp.asarray(np.zeros(4096))": 4096,
}
GIVEN = [
    "d.copy_to_device(x)",
    "d.copy_to_device(np.sqrt(x))",
    "start = np.ones(64); start[0] = 2; d.copy_to_device(start)",
    "start = np.ones(64); log(start); d.copy_to_device(start)",
    "e = cuda.to_device(np.zeros(n) + x)",
    "e = cp.asarray(np.sqrt(np.random.rand(4)))",
]


def copy_of(folder: Path, body: str) -> object:
    lines = "\n".join(f"        {line}" for line in body.split("; "))
    (found,) = records(folder, "transfer", PROGRAM.format(body=lines))
    return found


@pytest.mark.parametrize("body", SAME)
def test_the_same_data_in_each_iteration(tmp_path: Path, body: str) -> None:
    assert value(copy_of(tmp_path, body), "loop_invariant") is True


@pytest.mark.parametrize("body", OTHER)
def test_other_data_in_each_iteration(tmp_path: Path, body: str) -> None:
    assert value(copy_of(tmp_path, body), "loop_invariant") is False


@pytest.mark.parametrize("body", MADE)
def test_arrays_made_for_the_copy(tmp_path: Path, body: str) -> None:
    found = copy_of(tmp_path, body)
    assert value(found, "created_for_copy") is True
    assert value(found, "created_elements") == MADE[body]


@pytest.mark.parametrize("body", GIVEN)
def test_arrays_that_hold_data(tmp_path: Path, body: str) -> None:
    assert not value(copy_of(tmp_path, body), "created_for_copy")
