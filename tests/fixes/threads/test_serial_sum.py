"""A sum that one thread takes, shared by its block: what becomes of it, what stays, equal sums."""

from __future__ import annotations

import numpy as np
import pytest
from fixing import fixed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

SERIAL = """import math

import numpy as np
from numba import cuda


@cuda.jit
def sums(a, out):
    row = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        s = 0.0
        for k in range(a.shape[1]):
            s += math.sqrt(a[row, k])
        # the mean
        out[row] = s / a.shape[1]


def run(a):
    out = np.zeros(a.shape[0])
    sums[a.shape[0], 96](a, out)
    return out
"""
SHARED = """import math

import numpy as np
from numba import cuda


@cuda.jit
def sums(a, out):
    row = cuda.blockIdx.x
    s = 0.0
    for k in range(cuda.threadIdx.x, a.shape[1], cuda.blockDim.x):
        s += math.sqrt(a[row, k])
    partial = cuda.shared.array(128, np.float64)
    thread = cuda.threadIdx.x
    partial[thread] = s
    cuda.syncthreads()
    stride = 64
    while stride > 0:
        if thread < stride and thread + stride < cuda.blockDim.x:
            partial[thread] += partial[thread + stride]
        cuda.syncthreads()
        stride >>= 1
    if cuda.threadIdx.x == 0:
        s = partial[0]
        out[row] = s / a.shape[1]


def run(a):
    out = np.zeros(a.shape[0])
    sums[a.shape[0], 96](a, out)
    return out
"""
PLAIN = SERIAL.replace("        # the mean\n", "")
TILE = """import numpy as np
from numba import cuda


@cuda.jit
def sums(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(50, np.float32)
    tile[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        s = np.float32(0.0)
        for k in range(1, 50):
            s += tile[k]
        cuda.atomic.add(out, 0, s)


def run(a):
    out = np.zeros(1, np.float32)
    sums[a.size // 50, 50](a, out)
    return out
"""


def test_the_loop_is_shared(tmp_path) -> None:
    assert fixed(tmp_path, "serial-sum", PLAIN) == SHARED
    after = fixed(tmp_path, "serial-sum", TILE)
    assert "for k in range(1 + cuda.threadIdx.x, 50, cuda.blockDim.x):\n        s += tile[k]\n" in after
    assert "partial = cuda.shared.array(64, tile.dtype)\n" in after
    assert "    if t == 0:\n        s = partial[0]\n        cuda.atomic.add(out, 0, s)\n" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        out[row]", "        # the mean\n        out[row]"),
        ("row = cuda.blockIdx.x", "row = cuda.grid(1)"),
        ("row = cuda.blockIdx.x", "row = cuda.threadIdx.x"),
        ("row = cuda.blockIdx.x", "row = cuda.blockIdx.x\n    a[row, cuda.threadIdx.x] = 1.0"),
        ("row = cuda.blockIdx.x", "row = cuda.blockIdx.x\n    if row > 3:\n        return"),
        ("threadIdx.x == 0", "threadIdx.x == 1"),
        ("row = cuda.blockIdx.x", "row = cuda.blockIdx.x\n    fill(a, row)"),
        ("s = 0.0", "s = a[0, 0]"),
        ("s = 0.0", "s = 0"),
        ("s += math.sqrt(a[row, k])", "s += s * a[row, k]"),
        ("s += math.sqrt(a[row, k])", "s *= a[row, k]"),
        ("s += math.sqrt(a[row, k])", "s += math.sqrt(a[row, k])\n            a[row, k] = 0.0"),
        ("out[row] = s", "out[row] = k + s"),
        ("range(a.shape[1])", "range(0, a.shape[1], 2)"),
        ("a.shape[0], 96", "a.shape[0], (32, 3)"),
        ("a.shape[0], 96", "a.shape[0], a.shape[1]"),
    ],
)
def test_it_leaves_alone(tmp_path, old: str, new: str) -> None:
    assert PLAIN.count(old) == 1
    assert fixed(tmp_path, "serial-sum", PLAIN.replace(old, new)) == PLAIN.replace(old, new)


def test_what_the_tile_holds_is_known_to_all_threads_behind_a_barrier_only(tmp_path) -> None:
    text = TILE.replace("    cuda.syncthreads()\n", "    cuda.syncwarp()\n")
    assert fixed(tmp_path, "serial-sum", text) == text


_TILE_AFTER: list[str] = []


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 4), st.integers(1, 300), st.integers(0, 99))
def test_sums_stay_equal(tmp_path, simulated: SimulatedRuns, rows: int, width: int, seed: int) -> None:
    if not _TILE_AFTER:
        _TILE_AFTER.append(fixed(tmp_path, "serial-sum", TILE))
    random = np.random.default_rng(seed)
    a = random.random((rows, width), np.float32)
    expected, found = (simulated.call(text, "run", a) for text in (PLAIN, SHARED))
    np.testing.assert_allclose(expected, found, rtol=1e-12)
    flat = random.random(50 * rows, np.float32)
    expected, found = (simulated.call(text, "run", flat) for text in (TILE, _TILE_AFTER[0]))
    np.testing.assert_allclose(expected, found, rtol=1e-5)
