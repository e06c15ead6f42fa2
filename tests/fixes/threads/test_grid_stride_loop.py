"""Kernels without a check of the index get a grid-stride loop: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "grid-stride-loop"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\n\n"
RULES = {"missing-bounds-check", "unchecked-index"}


def kernel(body: str) -> str:
    return f"{HEAD}@cuda.jit\ndef k(a, b, out):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


CHANGES = {
    "an atomic sum": (
        "i = cuda.grid(1)\ncuda.atomic.add(out, 0, a[i] * b[i])  # sum",
        "for i in range(cuda.grid(1), a.shape[0], cuda.gridsize(1)):\n"
        "    cuda.atomic.add(out, 0, a[i] * b[i])  # sum",
    ),
    "names with values of their own": (
        "scale = 2\ni = cuda.grid(1)\n\nx = a[i]\ntotal = 0.0\nfor j in range(3):\n    total += scale * x\n"
        "out[i] = total",
        "scale = 2\n\nfor i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):\n    x = a[i]\n"
        "    total = 0.0\n    for j in range(3):\n        total += scale * x\n    out[i] = total",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_index_becomes_a_counter(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after)


SAME = {
    "a value that goes on": "total = 0.0\ni = cuda.grid(1)\ntotal += a[i]\nout[i] = total",
    "a parameter changes": "i = cuda.grid(1)\nx = a[i]\nb = x\nout[i] = b",
    "two axes": "i, j = cuda.grid(2)\nout[i, j] = a[i, j]",
    "the thread's place in the block": "i = cuda.grid(1)\nout[i] = a[i] + cuda.threadIdx.x",
    "the index spelled out": "i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x\nout[i] = a[i]",
    "another statement on the line": "i = cuda.grid(1); x = 1\nout[i] = a[i]",
    "a comment on the line": "i = cuda.grid(1)  # element\nout[i] = a[i]",
    "a barrier": "i = cuda.grid(1)\nout[i] = a[i]\ncuda.syncthreads()",
    "neighbours": "i = cuda.grid(1)\nout[i] = a[i + 1]",
}


@pytest.mark.parametrize("name", SAME)
def test_other_kernels_stay(tmp_path: Path, name: str) -> None:
    assert RULES & {one.rule for one in report_on(tmp_path, kernel(SAME[name])).findings}
    assert fixed(tmp_path, FIX, kernel(SAME[name])) == kernel(SAME[name])


PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def dot(a, b, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, a[i] * b[i])

def run(a, b, blocks, threads):
    total = np.zeros(1, dtype=np.int64)
    dot[blocks, threads](a, b, total)
    return total
"""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, PROGRAM)


@settings(max_examples=6, deadline=None)
@given(st.integers(1, 9), st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(
    simulated: SimulatedRuns, after: str, blocks: int, threads: int, other: int, seed: int
) -> None:
    a, b = np.random.default_rng(seed).integers(-9, 9, (2, blocks * threads))
    expected = simulated.call(PROGRAM, "run", a, b, blocks, threads)
    assert "gridsize" in after
    assert simulated.call(after, "run", a, b, blocks, threads).tolist() == expected.tolist()
    # It no longer depends on the grid.
    assert simulated.call(after, "run", a, b, other, threads).tolist() == expected.tolist()
