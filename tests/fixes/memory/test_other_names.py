"""Loads and sums stay in memory where the kernel may reach the element under another name."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixing import fixed

HEAD = """import numpy as np
from numba import cuda


"""
LAUNCH = """

def run(n):
    x = cuda.device_array((n, n), np.float32)
    y = cuda.device_array(n, np.float32)
    z = cuda.device_array(n, np.float32)
    k[n // 128, 128](ARGUMENTS)
"""
SUM = """@cuda.jit
def k(x, y, z):
    i = cuda.grid(1)
    if i < y.size:
        BEFORE
        for j in range(x.shape[0]):
            y[i] += x[j, i]
            INSIDE
"""
LOAD = """@cuda.jit
def k(x, y, z):
    i = cuda.grid(1)
    if i < z.size:
        BEFORE
        for j in range(x.shape[0]):
            z[j] = x[j, i] * y[i]
            INSIDE
"""
CASES = [
    ("pass", "pass", "x, y, z", True),
    ("other = y", "q = other[i]", "x, y, z", False),
    ("other = y if i else z", "other[i] = 1", "x, y, z", False),
    ("other = y[:]", "other[i] = 1", "x, y, z", False),
    ("pass", "pass", "x, y, y", False),
    ("pass", "pass", "x, y[1:], y", False),
]


def text(kernel: str, before: str, inside: str, arguments: str) -> str:
    filled = kernel.replace("BEFORE", before).replace("INSIDE", inside)
    return HEAD + filled + LAUNCH.replace("ARGUMENTS", arguments)


@pytest.mark.parametrize(("before", "inside", "arguments", "changes"), CASES)
def test_sums(tmp_path: Path, before: str, inside: str, arguments: str, changes: bool) -> None:
    given = text(SUM, before, inside, arguments)
    assert (fixed(tmp_path, "accumulate-in-register", given) != given) is changes


@pytest.mark.parametrize(
    ("before", "inside", "arguments", "changes"), [CASES[0], CASES[2], CASES[3], CASES[4], CASES[5]]
)
def test_loads(tmp_path: Path, before: str, inside: str, arguments: str, changes: bool) -> None:
    given = text(LOAD, before, inside, arguments)
    assert (fixed(tmp_path, "hoist-loop-invariant", given) != given) is changes
