"""An early return before a barrier becomes a flag: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "barrier-after-exit"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\n\n"
HEAD += "@cuda.jit(device=True)\ndef meet():\n    cuda.syncthreads()\n\n\n"


def kernel(body: str) -> str:
    return f"{HEAD}@cuda.jit\ndef k(a, out, n):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


CHANGES = {
    # An element may be no number (NaN), to which both comparisons are false.
    "an element as the limit": (
        """
        i = cuda.grid(1)
        if i >= a[0]:
            return
        cuda.syncthreads()
        out[i] = 1
        """,
        """
        i = cuda.grid(1)
        inside = not (i >= a[0])
        cuda.syncthreads()
        if inside:
            out[i] = 1
        """,
    ),
    "one barrier": (
        """
        i = cuda.grid(1)
        if i >= n:
            return
        tile = cuda.shared.array(32, np.float32)
        t = cuda.threadIdx.x
        tile[t] = a[i]  # stage

        # wait
        cuda.syncthreads()
        out[i] = tile[31 - t]
        """,
        """
        i = cuda.grid(1)
        inside = i < n
        tile = cuda.shared.array(32, np.float32)
        if inside:
            t = cuda.threadIdx.x
            tile[t] = a[i]  # stage

        # wait
        cuda.syncthreads()
        if inside:
            out[i] = tile[31 - t]
        """,
    ),
    "two axes, a loop that is the same for all": (
        """
        tile = cuda.shared.array(32, np.float32)
        i, j = cuda.grid(2)
        steps = math.ceil(a.shape[0] / 32)
        if i >= out.shape[0] or j >= n: return
        inside = 0.0
        for s in range(steps):
            tile[cuda.threadIdx.x] = a[i + s]
            cuda.syncthreads()
            if i > 3:
                inside += tile[0]
            cuda.syncthreads()
        out[i] = inside
        """,
        """
        tile = cuda.shared.array(32, np.float32)
        i, j = cuda.grid(2)
        steps = math.ceil(a.shape[0] / 32)
        inside_2 = i < out.shape[0] and j < n
        if inside_2:
            inside = 0.0
        for s in range(steps):
            if inside_2:
                tile[cuda.threadIdx.x] = a[i + s]
            cuda.syncthreads()
            if inside_2:
                if i > 3:
                    inside += tile[0]
            cuda.syncthreads()
        if inside_2:
            out[i] = inside
        """,
    ),
    "another condition": (
        """
        i = cuda.grid(1)
        if a[i] < 0.5:
            return
        out[i] = 1
        cuda.syncthreads()
        """,
        """
        i = cuda.grid(1)
        inside = not (a[i] < 0.5)
        if inside:
            out[i] = 1
        cuda.syncthreads()
        """,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_return_becomes_a_flag(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after)


EXIT = "i = cuda.grid(1)\nif i >= n:\n    return\n"
SAME = {
    "no barrier": f"{EXIT}out[i] = 1",
    "the barrier comes first": f"i = cuda.grid(1)\ncuda.syncthreads()\n{EXIT}out[i] = 1",
    "two returns": f"{EXIT}if a[i] > 1:\n    return\ncuda.syncthreads()",
    "work before the return": "i = cuda.grid(1)\nif i >= n:\n    out[0] = 1\n    return\ncuda.syncthreads()",
    "another branch": "i = cuda.grid(1)\nif i >= n:\n    return\nelse:\n    out[i] = 1\ncuda.syncthreads()",
    "a barrier in a loop of the thread": f"{EXIT}for j in range(a[i]):\n    cuda.syncthreads()",
    "a loop that ends early": f"{EXIT}for j in range(n):\n    cuda.syncthreads()\n    if j > 2: break",
    "a barrier in a while loop": f"{EXIT}s = n\nwhile s > 0:\n    cuda.syncthreads()\n    s -= 1",
    "a count computed behind the return": f"{EXIT}m = n // 2\nfor j in range(m):\n    cuda.syncthreads()",
    "a count": f"{EXIT}out[i] = cuda.syncthreads_count(a[i] > 1)",
    "a barrier in a function": f"{EXIT}cuda.syncthreads()\nmeet()",
    "a comment in the branch": "i = cuda.grid(1)\nif i >= n:\n    # out\n    return\ncuda.syncthreads()",
}
# The rule does not fire on these.
SILENT = {"no barrier", "the barrier comes first", "a barrier in a loop of the thread"}


@pytest.mark.parametrize("name", SAME)
def test_other_returns_stay(tmp_path: Path, name: str) -> None:
    found = {one.rule for one in report_on(tmp_path, kernel(SAME[name])).findings}
    assert (name in SILENT) != ("barrier-after-divergent-exit" in found)
    assert fixed(tmp_path, FIX, kernel(SAME[name])) == kernel(SAME[name])


PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def windows(a, out):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.grid(1)
    if i >= a.shape[0]:
        return
    t = cuda.threadIdx.x
    total = np.float32(0.0)
    for s in range(3):
        tile[t] = a[i] + s
        cuda.syncthreads()
        if t > 0:
            total += tile[t - 1]
        cuda.syncthreads()
    out[i] = total

def run(a, threads):
    out = np.zeros_like(a)
    windows[(len(a) + threads - 1) // threads, threads](a, out)
    return out
"""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, PROGRAM)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 300), st.integers(1, 64), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(
    simulated: SimulatedRuns, after: str, size: int, threads: int, seed: int
) -> None:
    assert "return\n    t =" not in after and "inside = i < a.shape[0]" in after
    a = np.random.default_rng(seed).standard_normal(size, dtype=np.float32)
    # Threads that do not take part used to leave a barrier of full blocks only.
    reference = np.zeros_like(a)
    for first in range(0, size, threads):
        block = a[first : first + threads]
        for s in range(3):
            reference[first + 1 : first + len(block)] += block[:-1] + np.float32(s)
    assert np.array_equal(simulated.call(after, "run", a, threads), reference)
    if size % threads == 0:
        assert np.array_equal(simulated.call(PROGRAM, "run", a, threads), reference)
