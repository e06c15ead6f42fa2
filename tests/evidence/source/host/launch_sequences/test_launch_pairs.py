"""Pairs of launches, the second of which reads what the first wrote: judged by what the kernels do."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNELS = """
@cuda.jit(device=True)
def put(y, i, v):
    y[i] = v

@cuda.jit
def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 2.0 * x[i]

@cuda.jit
def sum_of_parts(x, y):
    thread, block = cuda.threadIdx.x, cuda.blockIdx.x
    y[block * cuda.blockDim.x + thread] = x[thread + cuda.blockDim.x * block]

@cuda.jit
def strided(x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = x[i]

@cuda.jit
def by_function(x, y):
    i = cuda.grid(1)
    put(y, i, x[i])

@cuda.jit
def adds(x, y):
    i = cuda.grid(1)
    y[i] += x[i]

@cuda.jit
def shifted(x, y):
    i = cuda.grid(1)
    y[i] = x[i + 1]

@cuda.jit
def other_name(x, y):
    i = cuda.grid(1)
    out = y
    out[i] = x[i]

@cuda.jit
def counts(x, y):
    cuda.atomic.add(y, cuda.grid(1), x[cuda.grid(1)])

@cuda.jit
def nothing(x, y):
    i = cuda.grid(1)

@cuda.jit
def columns(x, y):
    i, j = cuda.grid(2)
    y[i, j] = x[j, i]

@cuda.jit
def rows(x, y):
    i, j = cuda.grid(2)
    y[i, j] = x[i, j]

def run(a, b, c):
"""
# Two launches, and whether each thread touches only its own element of `b` in both.
PAIRS = {
    "scale[64, 64](a, b); scale_again[64, 64](b, c)": None,
    "scale[64, 64](a, b); sum_of_parts[64, 64](b, c)": True,
    "scale[64, 64](a, b); strided[64, 64](b, c)": True,
    "scale[64, 64](a, b); by_function[64, 64](b, c)": True,
    "by_function[64, 64](a, b); scale[64, 64](b, c)": True,
    "scale[64, 64](a, b); adds[64, 64](a, b)": True,
    "rows[g, t](a, b); columns[g, t](b, c)": False,
    "scale[64, 64](a, b); shifted[64, 64](b, c)": False,
    "other_name[64, 64](a, b); scale[64, 64](b, c)": False,
    "shifted[64, 64](a, b); scale[64, 64](b, a)": False,
    "scale[64, 64](a, b); nothing[64, 64](b, c)": None,
    "nothing[64, 64](a, b); scale[64, 64](b, c)": None,
    "counts[64, 64](a, b); scale[64, 64](b, c)": None,
    "scale[64, 64](a, b); scale[64, 64](b, c)": None,
}


@pytest.mark.parametrize("launches", PAIRS)
def test_pairs(tmp_path: Path, launches: str) -> None:
    """A pair is told where the first surely stores and the second surely loads."""
    found = records(tmp_path, "launch_pair", KERNELS + "    " + launches.replace("; ", "\n    ") + "\n")
    assert [value(one, "same_place") for one in found] == (
        [] if PAIRS[launches] is None else [PAIRS[launches]]
    )


# Launches one behind the other, and what of the last one's loads and stores, and theirs, one kernel saves.
SHARES = {
    "scale[64, 64](a, b); adds[64, 64](c, b)": 2 / 5,
    "scale[64, 64](a, b); by_function[64, 64](b, c)": 1 / 4,
    "scale[64, 64](a, b); by_function[64, 64](b, c); sum_of_parts[64, 64](c, d)": 2 / 6,
    "by_function[32, 64](a, b); scale[64, 64](a, b); adds[64, 64](c, b)": 2 / 5,
    "shifted[64, 64](c, a); scale[64, 64](a, b); adds[64, 64](c, b)": 3 / 7,
    "shifted[64, 64](b, a); scale[64, 64](a, b); adds[64, 64](c, b)": 2 / 5,
    "scale[64, 64](a, b); strided[64, 64](b, c)": None,
}


@pytest.mark.parametrize("launches", SHARES)
def test_what_one_kernel_saves(tmp_path: Path, launches: str) -> None:
    """An element at the thread's own position is loaded once and stored once."""
    text = KERNELS.replace("run(a, b, c)", "run(a, b, c, d)")
    found = records(tmp_path, "launch_pair", text + "    " + launches.replace("; ", "\n    ") + "\n")
    assert value(found[-1], "saved_share") == SHARES[launches]
