"""Loads that a loop repeats move before it: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "hoist-loop-invariant"
HEAD = "import numpy as np\nfrom numba import cuda\n\n\n"


def kernel(body: str) -> str:
    return (
        f"{HEAD}@cuda.jit\ndef k(a, b, out, n):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    )


CHANGES = {
    "a factor of the row": (
        """
        i = cuda.grid(1)
        if i < b.shape[0]:
            # scale
            for j in range(n):
                out[i, j] = a[i, j] * b[i]  # row
        """,
        """
        i = cuda.grid(1)
        if i < b.shape[0]:
            # scale
            b_element = b[i]
            for j in range(n):
                out[i, j] = a[i, j] * b_element  # row
        """,
    ),
    "twice, two loops, the name is taken": (
        """
        b_element = 1
        i = cuda.grid(1)
        if i < b.shape[0]:
            for j in range(n):
                for q in range(n):
                    out[i, j, q] = b[i + 1] * a[i, j, q] - b[i+1]
        """,
        """
        b_element = 1
        i = cuda.grid(1)
        if i < b.shape[0]:
            b_element_2 = b[i + 1]
            for j in range(n):
                for q in range(n):
                    out[i, j, q] = b_element_2 * a[i, j, q] - b_element_2
        """,
    ),
    "the loop that keeps the index": (
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            for j in range(n):
                for q in range(b.shape[0]):
                    out[i, j, q] = b[j]
        """,
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            for j in range(n):
                b_element = b[j]
                for q in range(b.shape[0]):
                    out[i, j, q] = b_element
        """,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_loads_move_before_the_loop(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after)


LOOP = "i = cuda.grid(1)\nfor j in range(n):\n    "
SAME = {
    "only if": f"{LOOP}if i < n:\n        out[i, j] = b[i]",
    "only then": f"{LOOP}out[i, j] = b[i] if i < n else 0",
    "only after another condition": f"{LOOP}out[i, j] = i < n and b[i] > 0",
    "the array is stored to": f"{LOOP}out[i, j] = b[i]\n    b[j] = 1",
    "the array goes elsewhere": f"{LOOP}out[i, j] = b[i]\n    cuda.atomic.add(b, j, 1)",
    "threads meet": f"{LOOP}out[i, j] = b[i]\n    cuda.syncthreads()",
    "some iterations are left out": f"{LOOP}if a[j] > 1:\n        continue\n    out[i, j] = b[i]",
    "the index changes in a condition": f"{LOOP}out[i, j] = b[i]\n    if a[j] > 1:\n        i = 0",
    "a record, perhaps": f"{LOOP}out[i, j] = f(b[i])",
    "a record with a name": f"{LOOP}x = b[i]\n    out[i, j] = x",
    "a field": f"{LOOP}out[i, j] = b[i].x",
    "an element of an element": f"{LOOP}out[i, j] = b[a[i]]",
    "nothing is stored in a loop": f"{LOOP}x = a[j] * b[i]\nout[i, 0] = x",
}
# The rule does not fire on these.
SILENT = {"the index changes in a condition", "nothing is stored in a loop"}


@pytest.mark.parametrize("name", SAME)
def test_other_loads_stay(tmp_path: Path, name: str) -> None:
    found = {one.rule for one in report_on(tmp_path, kernel(SAME[name])).findings}
    assert (name in SILENT) != ("loop-invariant-load" in found)
    after = fixed(tmp_path, FIX, kernel(SAME[name]))
    assert after == kernel(SAME[name])


PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def scale(a, b, c, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        for j in range(out.shape[1]):
            out[i, j] = a[i, j] * b[i] + c[0] * b[i]

def run(a, b, c):
    out = np.zeros_like(a)
    scale[(len(a) + 31) // 32, 32](a, b, c, out)
    return out
"""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, PROGRAM)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 70), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(
    simulated: SimulatedRuns, after: str, height: int, width: int, seed: int
) -> None:
    assert "b_element = b[i]\n" in after and "c_element = c[0]\n" in after
    random = np.random.default_rng(seed)
    a = random.standard_normal((height, width), dtype=np.float32)
    b, c = random.standard_normal((2, height), dtype=np.float32)
    expected = simulated.call(PROGRAM, "run", a, b, c)
    assert np.array_equal(simulated.call(after, "run", a, b, c), expected)
