"""Arrays turned where they are made, so that the lanes of the kernel run along their fast axis."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.fixes.known_facts import KnownFacts, Row
from advisor.fixes.place import Place
from advisor.fixes.rewrites.memory.fortran_order import speedup_left
from advisor.model.findings import Finding
from advisor.model.records import Value
from advisor.model.text.source_text import Span

FIX = "fortran-order"
HEAD = "import numpy as np\nfrom numba import cuda\n\n"
SUMS = """
@cuda.jit
def sums(weights, out):
    unit = cuda.grid(1)
    if unit < out.size:
        total = 0.0
        for k in range(weights.shape[1]):
            total += weights[unit, k]
        out[unit] = total
"""
RUN = """
def run(a):
    weights = cuda.to_device(a)  # rows of a unit
    out = cuda.device_array(weights.shape[0], dtype=np.float64)
    sums[weights.shape[0] // 64 + 1, 64](weights, out)
    return out.copy_to_host()
"""
TURNED = RUN.replace("to_device(a)", "to_device(np.asfortranarray(a))")
DEEP = """
@cuda.jit
def running(a, out):
    half = a.shape[0] // 2
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    for unit in range(x, half, cuda.gridsize(1)):
        for d in range(a.shape[1]):
            for s in range(a.shape[2]):
                value = a[unit, d, s] + a[half + unit, d, s]
                out[unit, d] = value
"""
DEEP_RUN = """
def run(a):
    given = cuda.to_device(a, stream=0)
    out = cuda.device_array(
        shape=(a.shape[0] // 2, a.shape[1]),
        dtype=a.dtype,  # as it is
    )
    running[2, 32](given, out)
    return out.copy_to_host()
"""
DEEP_TURNED = DEEP_RUN.replace("to_device(a,", "to_device(np.asfortranarray(a),").replace(
    "dtype=a.dtype,", 'dtype=a.dtype, order="F",'
)
ROWS = """
@cuda.jit
def cell(x, weights, out):
    unit, row = cuda.grid(2)
    if unit < out.shape[1] and row < out.shape[0]:
        total = 0.0
        for k in range(x.shape[1]):
            total += weights[unit, k] * x[row, k]
        out[row, unit] = total
"""
ROWS_RUN = """
def run(a):
    x = cuda.to_device(a[:5])
    weights = cuda.to_device(a)
    out = cuda.device_array((5, a.shape[0]), np.float64)
    cell[(a.shape[0] // 16 + 1, 1), (16, 16)](x, weights, out)
    return out.copy_to_host()
"""
CHANGES = {
    "a row for each lane": (SUMS + RUN, SUMS + TURNED),
    "three axes, a new array": (DEEP + DEEP_RUN, DEEP + DEEP_TURNED),
    "where other accesses keep the axes of the threads": (
        ROWS + ROWS_RUN,
        ROWS + ROWS_RUN.replace("to_device(a)", "to_device(np.asfortranarray(a))"),
    ),
    "a shape alone": (
        SUMS + RUN.replace("to_device(a)", "device_array((70, 50))"),
        SUMS + RUN.replace("to_device(a)", 'device_array((70, 50), order="F")'),
    ),
    "an expression in brackets": (
        SUMS + RUN.replace("to_device(a)", "to_device( (a + 1) )"),
        SUMS + RUN.replace("to_device(a)", "to_device( np.asfortranarray((a + 1)) )"),
    ),
    "two launches": (
        SUMS + RUN + RUN.replace("run", "again"),
        SUMS + TURNED + TURNED.replace("run", "again"),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_turned(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, HEAD + before) == HEAD + after


OTHER = "@cuda.jit\ndef other(weights):\n    weights[0, cuda.grid(1)] = 1\n"
SIGNED = SUMS.replace("@cuda.jit", '@cuda.jit("void(float64[:, ::1], float64[:])")')
KEPT = {
    "another kernel sees the array": OTHER
    + SUMS
    + RUN.replace("    return", "    other[1, 32](weights)\n    return"),
    "the types are stated": SIGNED + RUN,
    "a caller gives the array": SUMS
    + RUN.replace("run(a)", "run(weights)").replace("    weights = cuda", "    b = cuda"),
    "made in one of two ways": SUMS
    + RUN.replace("    out =", "    if a.size > 9:\n        weights = cuda.to_device(a + 1)\n    out ="),
    "turned already": SUMS + TURNED,
    "strides are given": SUMS + RUN.replace("to_device(a)", "device_array(a.shape, a.dtype, None)"),
    "an order is given": SUMS + RUN.replace("to_device(a)", 'device_array(a.shape, a.dtype, order="C")'),
    "copied to a given array": SUMS
    + RUN.replace("return out.copy_to_host()", "return weights.copy_to_host(a)"),
    "the array goes to a function": SUMS + RUN.replace("return out", "show(weights)\n    return out"),
    "an argument by expression": SUMS + RUN.replace("](weights,", "](cuda.to_device(a),"),
    "the kernel reads columns too": SUMS.replace("= total", "= total + weights[0, unit]") + RUN,
    "a whole row": SUMS.replace("total += weights[unit, k]", "row = weights[unit]; total += row[k]") + RUN,
    "every other row": SUMS.replace("weights[unit, k]", "weights[2 * unit, k]") + RUN,
    "lanes along the second axis of three": SUMS.replace("weights[unit, k]", "weights[0, unit, k]") + RUN,
    "NumPy is not imported": "from numpy import float64\n" + SUMS + RUN.replace("np.float64", "float64"),
    "the axes of the threads can be exchanged": ROWS.replace("out[row, unit]", "out[unit, row]").replace(
        "weights[unit, k] * x[row, k]", "weights[unit, k]"
    )
    + ROWS_RUN,
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    head = HEAD.replace("import numpy as np\n", "") if name == "NumPy is not imported" else HEAD
    before = head + KEPT[name]
    assert fixed(tmp_path, FIX, before) == before


@given(rows=st.integers(6, 90), columns=st.integers(1, 40), seed=st.integers(0, 99), cell=st.booleans())
@settings(max_examples=6, deadline=None)
def test_same_results(simulated: SimulatedRuns, rows: int, columns: int, seed: int, cell: bool) -> None:
    a = np.random.default_rng(seed).standard_normal((rows, columns), dtype=np.float32)
    name = "where other accesses keep the axes of the threads" if cell else "a row for each lane"
    before, after = (simulated.call(HEAD + text, "run", a) for text in CHANGES[name])
    np.testing.assert_array_equal(before, after)
    np.testing.assert_allclose(before, a[:5] @ a.T if cell else a.sum(axis=1), rtol=1e-3, atol=1e-4)


@given(shape=st.tuples(st.integers(2, 80), st.integers(1, 6), st.integers(1, 6)), seed=st.integers(0, 99))
@settings(max_examples=4, deadline=None)
def test_same_results_of_three_axes(simulated: SimulatedRuns, shape: tuple[int, int, int], seed: int) -> None:
    a = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    before, after = (simulated.call(HEAD + text, "run", a) for text in CHANGES["three axes, a new array"])
    np.testing.assert_array_equal(before, after)


def run_values(l1_cycles: int) -> dict[str, Value]:
    """What a run of a kernel has shown: see `test_the_speedup_that_is_left`."""
    return {
        "grid_blocks": 108.0, "resident_blocks": 1.0, "theoretical_occupancy": 0.5, "block_threads": 1024.0,
        "issue_slots": 108.0 * 32 * 100, "load_requests": 0.0, "load_lines": 0.0,
        "store_lines": 108.0 * l1_cycles,
    }  # fmt: skip


@pytest.mark.parametrize(("l1_cycles", "offered"), [(2000, True), (290, True), (270, False), (100, False)])
def test_only_where_a_run_shows_that_sectors_set_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, l1_cycles: int, offered: bool
) -> None:
    """With 281 cycles the whole takes a tenth more than without: see below."""
    known = KnownFacts.kernel_of

    def kernel_of(facts: KnownFacts, finding: Finding) -> Row | None:
        row = known(facts, finding)
        return row and replace(row, values={**row.values, **run_values(l1_cycles)})

    monkeypatch.setattr(KnownFacts, "kernel_of", kernel_of)
    assert fixed(tmp_path, FIX, HEAD + SUMS + RUN) == HEAD + SUMS + (TURNED if offered else RUN)


@pytest.mark.parametrize(("l1_cycles", "left"), [(2000, 2.486), (800, 1.446), (100, 1.022)])
def test_the_speedup_that_is_left(l1_cycles: int, left: float) -> None:
    """108 blocks of 32 warps on as many multiprocessors: 100 instructions of each warp take 3,200 / 4 = 800
    cycles to issue, and 400 one after the other; L1 takes a line in a cycle. They overlap in part: of 2,000
    cycles (2000 ** 1.5 + 800 ** 1.5 + 400 ** 1.5) ** (2 / 3) over the same without the 2,000.
    """
    row = Row("k", "k.py", Span(1, 1, 1, 2), run_values(l1_cycles))
    device = Row("NVIDIA A100 80GB", "", Span(1, 1, 1, 1))
    place = SimpleNamespace(kernel_row=lambda: row, facts=SimpleNamespace(device=device))
    found = speedup_left(cast(Place, place), frozenset({"l1"}))
    assert found == pytest.approx(left, abs=1e-3)


def test_nothing_is_known_without_a_run() -> None:
    row, device = Row("k", "k.py", Span(1, 1, 1, 2), {}), Row("NVIDIA A100 80GB", "", Span(1, 1, 1, 1))
    place = SimpleNamespace(kernel_row=lambda: row, facts=SimpleNamespace(device=device))
    assert speedup_left(cast(Place, place), frozenset({"l1"})) is None
