"""Local arrays indexed at run time become columns of shared ones: what changes, what stays, results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "private-array-in-shared"
COUNT = """
import numpy as np
from numba import cuda

BINS = 16


@cuda.jit
def count(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        # how often
        bins = cuda.local.array(BINS, np.float32)  # each
        for b in range(BINS):
            bins[b] = 0.0
        for k in range(a.shape[1]):
            bins[a[i, k]] += 1.0
        most = 0
        for b in range(BINS):
            if bins[b] > bins[most]:
                most = b
        out[i] = most


def run(a):
    out = np.zeros(len(a), dtype=np.int64)
    count[(len(a) + 47) // 48, 48](a, out)
    return out

"""
COUNTED = (
    COUNT.replace(
        "        bins = cuda.local.array(BINS, np.float32)  # each\n",
        "        thread = cuda.threadIdx.x\n"
        "        bins = cuda.shared.array((BINS, 64), np.float32)  # each\n",
    )
    .replace("bins[b]", "bins[b, thread]")
    .replace("bins[a[i, k]]", "bins[a[i, k], thread]")
    .replace("bins[most]", "bins[most, thread]")
)
TABLE = """
import numpy as np
from numba import cuda, float64


@cuda.jit
def table(a, out):
    thread, y = cuda.grid(2)
    own = cuda.local.array(dtype=float64, shape=(2, 4))
    for k in range(8):
        own[k % 2, k // 2] = a[thread, y] + k
    column = int(a[thread, y]) % 4
    out[thread, y] = own[0, column] - own[1, column] * own[-1, 3 - column]


def run(a):
    out = np.zeros_like(a)
    table[(2, 3), (8, 4)](a, out)
    return out

"""
TABLED = (
    TABLE.replace(
        "    own = cuda.local.array(dtype=float64, shape=(2, 4))\n",
        "    thread_2 = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y\n"
        "    own = cuda.shared.array(dtype=float64, shape=(2, 4, 32))\n",
    )
    .replace("own[k % 2, k // 2]", "own[k % 2, k // 2, thread_2]")
    .replace("column]", "column, thread_2]")
)


IN_BRACKETS = TABLE.replace("own[0, column]", "own[(0, column)]")
IN_BRACKETS_TABLED = TABLED.replace("own[0, column, thread_2]", "own[(0, column, thread_2)]")


@pytest.mark.parametrize(
    ("before", "after"), [(COUNT, COUNTED), (TABLE, TABLED), (IN_BRACKETS, IN_BRACKETS_TABLED)]
)
def test_a_column_for_each_thread(tmp_path: Path, before: str, after: str) -> None:
    assert fixed(tmp_path, FIX, before, "compiled") == after.lstrip("\n")


SAME = {
    "too large": COUNT.replace("BINS = 16", "BINS = 256"),
    "beside other shared memory": COUNT.replace("BINS = 16", "BINS = 96").replace(
        "    i = cuda.grid(1)\n",
        "    i = cuda.grid(1)\n    t = cuda.shared.array(8000, np.float32)\n    t[i % 9] = out[i]\n"
        "    out[i] = t[i % 7]\n",
    ),
    "passed on": COUNT.replace("        most = 0\n", "        most = len(bins)\n"),
    "another name for it": COUNT.replace("        most = 0\n", "        most, other = 0, bins\n"),
    "a row of it": TABLE.replace("own[0, column]", "own[0][column]"),
    "made twice": COUNT.replace(
        "        most = 0\n",
        "        most = 0\n        bins = cuda.local.array(8, np.float32)\n        bins[0] = 1\n",
    ),
    "the blocks are not known": COUNT.replace(
        "count[(len(a) + 47) // 48, 48]", "count[len(a), len(a)]"
    ).split("\n\ndef workload")[0],
    "in registers": COUNT.replace("bins[a[i, k]] += 1.0", "bins[3] += a[i, k]").replace(
        "bins[b] > bins[most]", "bins[b] > 2"
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_other_arrays_stay(tmp_path: Path, name: str) -> None:
    text = SAME[name]
    assert text not in (COUNT, TABLE)
    assert fixed(tmp_path, FIX, text, "compiled") == text.lstrip("\n")


@settings(max_examples=6, deadline=None)
@given(st.integers(1, 130), st.integers(0, 20), st.integers(0, 2**32 - 1))
def test_counts_stay_equal(simulated: SimulatedRuns, rows: int, columns: int, seed: int) -> None:
    a = np.random.default_rng(seed).integers(0, 16, (rows, columns))
    assert np.array_equal(simulated.call(COUNTED, "run", a), simulated.call(COUNT, "run", a))


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_tables_stay_equal(simulated: SimulatedRuns, seed: int) -> None:
    a = np.random.default_rng(seed).random((16, 12)) * 9
    assert np.array_equal(simulated.call(TABLED, "run", a), simulated.call(TABLE, "run", a))
