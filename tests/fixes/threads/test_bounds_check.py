"""Kernels without a check of the thread's index get one: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "bounds-check"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\nfrom other import unknown\n\n\n"
HEAD += "@cuda.jit(device=True)\ndef twice(x):\n    return 2 * x\n\n\n"
HEAD += "@cuda.jit(device=True)\ndef meet():\n    cuda.syncthreads()\n\n\n"


def kernel(body: str) -> str:
    return f"{HEAD}@cuda.jit\ndef k(a, b, out):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


CHANGES = {
    "an atomic sum": (
        "i = cuda.grid(1)\ncuda.atomic.add(out, 0, a[i] * b[i])",
        "i = cuda.grid(1)\nif i < a.shape[0]:\n    cuda.atomic.add(out, 0, a[i] * b[i])",
    ),
    "the stored array comes first": (
        "i = cuda.grid(1)\nx = math.sqrt(a[i])  # root\n\n# both\nout[i] = twice(x) + b[0]",
        "i = cuda.grid(1)\nif i < out.shape[0]:\n    x = math.sqrt(a[i])  # root\n\n    # both\n"
        "    out[i] = twice(x) + b[0]",
    ),
    "two dimensions": (
        "i, j = cuda.grid(2)\ntotal = 0.0\nfor q in range(a.shape[1]):\n    total += a[i, q] * b[q, j]\n"
        "out[i, j] = total",
        "i, j = cuda.grid(2)\ntotal = 0.0\nif i < out.shape[0] and j < out.shape[1]:\n"
        "    for q in range(a.shape[1]):\n        total += a[i, q] * b[q, j]\n    out[i, j] = total",
    ),
    "the index spelled out": (
        "t = cuda.threadIdx.x\ni = cuda.blockDim.x * cuda.blockIdx.x + t\nif a[i] > 0:\n    b[i] = 1\n"
        "out[i] += 1",
        "t = cuda.threadIdx.x\ni = cuda.blockDim.x * cuda.blockIdx.x + t\nif i < out.shape[0]:\n"
        "    if a[i] > 0:\n        b[i] = 1\n    out[i] += 1",
    ),
    "a barrier before the index is used": (
        "i = cuda.grid(1)\ncuda.syncthreads()\nout[i] = 1",
        "i = cuda.grid(1)\ncuda.syncthreads()\nif i < out.shape[0]:\n    out[i] = 1",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_index_is_checked(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after)


SAME = {
    "checked": "i = cuda.grid(1)\nif i < out.size:\n    out[i] = a[i]",
    "another array under the name": "i = cuda.grid(1)\nout = a\nout[i] = b[i]",
    "left early": "i = cuda.grid(1)\nif i >= out.size:\n    return\nout[i] = a[i]",
    "a barrier behind": "i = cuda.grid(1)\nout[i] = a[i]\ncuda.syncthreads()",
    "a barrier in a function": "i = cuda.grid(1)\nout[i] = a[i]\nmeet()",
    "a function of another file": "i = cuda.grid(1)\nout[i] = unknown(a[i])",
    "a warp function": "i = cuda.grid(1)\nout[i] = cuda.shfl_down_sync(0xffffffff, a[i], 1)",
    "neighbours": "i = cuda.grid(1)\nout[i] = a[i] + a[i + 1]",
    "rows of a flat array": "i = cuda.grid(1)\nout[4 * i] = a[4 * i]",
    "no access that each thread reaches": "i = cuda.grid(1)\nif a[0] > 1:\n    out[i] = 1",
    "the index changes": "i = cuda.grid(1)\ni = i * 2\nout[i] = a[i]",
    "an array of the module": "i = cuda.grid(1)\nTABLE[i] = 1",
    "a text over several lines": 'i = cuda.grid(1)\nout[i] = 1\n"""a\nb"""',
    "an index within the block": "i = cuda.threadIdx.x\nout[i] = a[i]",
}


# The rule does not fire on these.
SILENT = {"checked", "left early", "an index within the block", "an array of the module"}


@pytest.mark.parametrize("name", SAME)
def test_other_kernels_stay(tmp_path: Path, name: str) -> None:
    assert (name in SILENT) != bool(
        {"missing-bounds-check", "unchecked-index"}
        & {one.rule for one in report_on(tmp_path, kernel(SAME[name])).findings}
    )
    assert fixed(tmp_path, FIX, kernel(SAME[name])) == kernel(SAME[name])


PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def dot(a, b, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, a[i] * b[i])

@cuda.jit
def outer(a, b, out):
    i, j = cuda.grid(2)
    out[i, j] = a[i] * b[j]

def run(a, b, threads, more):
    total = np.zeros(1, dtype=np.int64)
    dot[len(a) // threads + more, threads](a, b, total)
    table = np.zeros((len(a), len(b)), dtype=np.int64)
    outer[(len(a) // threads + more, len(b)), (threads, 1)](a, b, table)
    return total, table
"""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, PROGRAM)


@settings(max_examples=6, deadline=None)
@given(st.integers(1, 5), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(
    simulated: SimulatedRuns, after: str, blocks: int, threads: int, seed: int
) -> None:
    a, b = np.random.default_rng(seed).integers(-9, 9, (2, blocks * threads))
    expected = simulated.call(PROGRAM, "run", a, b, threads, 0)
    assert after.count("if i < ") == 2
    for more in (0, 1):
        for one, other in zip(simulated.call(after, "run", a, b, threads, more), expected, strict=True):
            assert one.tolist() == other.tolist()
