"""`fastmath=True` for kernels that spend their time in exact float32 functions and divisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "fastmath"
ENTROPY = """
import math
import numpy as np
from numba import cuda

@cuda.jit
def entropy(p, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        total = np.float32(0.0)
        for k in range(p.shape[0]):
            total -= p[k, i] * math.log(p[k, i])
        out[i] = total

def run(p):
    out = np.zeros(p.shape[1], p.dtype)
    entropy[(p.shape[1] + 63) // 64, 64](p, out)
    return out

def workload():
    run(np.full((40, 200), 0.5, np.float32))
"""
QUOTIENTS = (
    ENTROPY.replace("@cuda.jit", "@cuda.jit(opt=True)  # always")
    .replace("total -= p[k, i] * math.log(p[k, i])", "total += p[k, i] / (p[k, i] + total)")
    .replace("np.float32(0.0)", "np.float32(1.0)")
)
FAST = {
    "logarithms": (ENTROPY, ENTROPY.replace("@cuda.jit", "@cuda.jit(fastmath=True)")),
    "divisions": (QUOTIENTS, QUOTIENTS.replace("(opt=True)", "(opt=True, fastmath=True)")),
}
LEFT = {
    "float64": ENTROPY.replace("np.float32", "np.float64"),
    "fast already": FAST["logarithms"][1],
    "exact on purpose": ENTROPY.replace("@cuda.jit", "@cuda.jit(fastmath=False)"),
    "once for each thread": ENTROPY.replace("* math.log(p[k, i])", "* p[k, i]").replace(
        "= total", "= math.log(total)"
    ),
    "no functions": ENTROPY.replace("* math.log(p[k, i])", "* p[k, i]"),
}


@pytest.mark.parametrize("name", FAST)
def test_fast(tmp_path: Path, name: str) -> None:
    before, after = FAST[name]
    assert fixed(tmp_path, FIX, before, "simulated") == after.lstrip("\n")


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    assert fixed(tmp_path, FIX, LEFT[name], "simulated") == LEFT[name].lstrip("\n")


def test_nothing_is_said_before_a_run(tmp_path: Path) -> None:
    assert fixed(tmp_path, FIX, ENTROPY, "compiled") == ENTROPY.lstrip("\n")


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 9), st.integers(1, 150), st.sampled_from(sorted(FAST)), st.integers(0, 99))
def test_equal_to_a_few_units_in_the_last_place(
    simulated: SimulatedRuns, rows: int, columns: int, name: str, seed: int
) -> None:
    p = np.random.default_rng(seed).uniform(0.01, 1, (rows, columns)).astype(np.float32)
    before, after = (simulated.call(text, "run", p) for text in FAST[name])
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-6)
