"""Loops of launches that could run in the kernel, and those in which threads need what others have stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def decay(a, rate):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= rate

@cuda.jit
def add_row(a, rows, step):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] += rows[step, i, j]

@cuda.jit
def to_row(a, mean, row):
    i = cuda.grid(1)
    a[row, i] -= mean[i]

@cuda.jit
def move(src, dst, rate):
    i = cuda.grid(1)
    dst[i] = src[i] * rate

@cuda.jit
def smooth(src, dst, rate):
    i = cuda.grid(1)
    dst[i] = (src[i - 1] + src[i + 1]) * rate

@cuda.jit
def from_row(a, row):
    i = cuda.grid(1)
    a[i, row] = a[row, i]

@cuda.jit
def over_rows(a, sums, step):
    i, j = cuda.grid(2)
    a[i, j] += sums[i]
    if j == 0:
        sums[i] = step

@cuda.jit
def count(a, total, step):
    i = cuda.grid(1)
    a[i] += step
    cuda.atomic.add(total, 0, a[i])

@cuda.jit
def by_index(a, index, step):
    i = cuda.grid(1)
    a[index[i]] += step

@cuda.jit
def in_block(a, step):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.grid(1)
    tile[cuda.threadIdx.x] = a[i]
    cuda.syncthreads()
    a[i] = tile[63 - cuda.threadIdx.x] + step

def main(a, b, rows, rates, n):
    c = a[1:]
"""
FIT = {
    "an element by itself": "for k in range(n):\n    decay[8, 64](a, 0.5)",
    "a number for each step": "for rate in rates:\n    decay[8, 64](a, rate)",
    "data for each step": "for k in range(n):\n    add_row[g, t](a, rows, k)",
    "a row for each step": "for k in range(n):\n    to_row[8, 64](a, b, k)",
    "arrays that change places": "for k in range(n):\n    move[8, 64](a, b, k)\n    a, b = b, a",
    "two kernels": "for k in range(n):\n    decay[8, 64](a, k)\n    move[8, 64](a, b, k)",
    "until all is done": "while n > 0:\n    decay[8, 64](a, 0.5)\n    n -= 1",
}
STAY = {
    "the same work again": "for k in range(n):\n    move[8, 64](a, b, 0.5)",
    "neighbours": "for k in range(n):\n    smooth[8, 64](a, b, 0.5)\n    a, b = b, a",
    "another kernel reads neighbours": (
        "for k in range(n):\n    smooth[8, 64](a, b, k)\n    move[8, 64](b, a, k)"
    ),
    "another order": "for k in range(n):\n    from_row[8, 64](a, k)",
    "one value of several threads": "for k in range(n):\n    over_rows[g, t](a, b, k)",
    "a sum of all threads": "for k in range(n):\n    count[8, 64](a, b, k)",
    "elements that the data chooses": "for k in range(n):\n    by_index[8, 64](a, b, k)",
    "threads of a block together": "for k in range(n):\n    in_block[8, 64](a, k)",
    "a part under another name": "for k in range(n):\n    move[8, 64](c, a, k)",
    "a grid for each step": "for k in range(n):\n    decay[k, 64](a, 0.5)",
    "other grids": "for k in range(n):\n    decay[8, 64](a, k)\n    decay[4, 64](a, k)",
    "an item for each step": "for k in range(n):\n    decay[8, 64](rows[k], 0.5)",
    "no loop": "decay[8, 64](a, 0.5)",
}


def launches_of(folder: Path, body: str) -> list[object]:
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    return [value(one, "steps_fit_in_kernel") for one in records(folder, "launch", text)]


@pytest.mark.parametrize("name", FIT)
def test_loops_that_could_run_in_the_kernel(tmp_path: Path, name: str) -> None:
    assert set(launches_of(tmp_path, FIT[name])) == {True}


@pytest.mark.parametrize("name", STAY)
def test_loops_that_stay_on_the_host(tmp_path: Path, name: str) -> None:
    assert set(launches_of(tmp_path, STAY[name])) == {False}
