"""Runs of elements are spread over the threads: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "interleave-run"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\nN = 16\n\n\n"


def kernel(body: str) -> str:
    inner = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{HEAD}@cuda.jit\ndef spread(a, out, n):\n{inner}\n"


INDEX = "i = cuda.grid(1) + k * cuda.gridsize(1)"
LOOP_OF_RUN = f"for k in range(N):\n    {INDEX}"
GUARDED = ":\n    if i < n:\n        out[i] = a[i]"
CHANGES = {
    "a start in a name": (
        f"start = cuda.grid(1) * N\nfor i in range(start, start + N){GUARDED}",
        f"{LOOP_OF_RUN}{GUARDED[1:]}",
    ),
    "a thread in a name, sides exchanged": (
        f"t = cuda.grid(1)\nstart = N * t\nfor i in range(start, N + start){GUARDED}",
        f"t = cuda.grid(1)\n{LOOP_OF_RUN}{GUARDED[1:]}",
    ),
    "no names": (
        f"for i in range(cuda.grid(1) * N, cuda.grid(1) * N + N){GUARDED}",
        f"{LOOP_OF_RUN}{GUARDED[1:]}",
    ),
    "a counter": (
        f"# all\nfor j in range(N):\n    i = cuda.grid(1) * N + j\n{GUARDED[2:]}",
        f"# all\nfor j in range(N):\n    {INDEX.replace('k', 'j')}\n{GUARDED[2:]}",
    ),
    "an end, a local, an inner loop, an atomic addition": (
        """
        start = cuda.grid(1) * N
        for i in range(start, start + N):
            if i >= n:
                break
            x = a[i]
            if x > 0:
                y = x
            else:
                y = -x
            for j in range(3):
                y += j
            cuda.atomic.add(out, 0, y)
        """,
        f"""
        for k in range(N):
            {INDEX}
            if i >= n:
                break
            x = a[i]
            if x > 0:
                y = x
            else:
                y = -x
            for j in range(3):
                y += j
            cuda.atomic.add(out, 0, y)
        """,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_runs_are_spread(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after)


LOOP = "start = cuda.grid(1) * N\nfor i in range(start, start + N):\n    if i < n:\n        "
SAME = {
    "a running sum": f"total = 0.0\n{LOOP}total += a[i]\n        out[i] = total",
    "a sum behind the loop": f"x = 0.0\n{LOOP}x = a[i]\nif x > 0:\n    out[start] = x",
    "the value before": f"x = 0.0\n{LOOP}y = x\n        x = a[i]\n        out[i] = y",
    "a value of some iterations": f"{LOOP}if a[i] > 2:\n            x = 1\n        out[i] = x + a[i]",
    "the element before": f"{LOOP}if i > 0:\n            out[i] = out[i - 1] + a[i]",
    "one element of the thread": f"t = cuda.grid(1)\n{LOOP}out[t] = a[i]",
    "the start is needed": f"{LOOP}out[i] = a[i] + start",
    "the index is needed": f"i = 0\n{LOOP}out[i] = a[i]\nout[i] = 1",
    "a return": f"{LOOP}out[i] = a[i]\n    else:\n        return",
    "an end in between": f"{LOOP}out[i] = a[i]\n    if a[i] > 3:\n        break",
    "an end behind a store": (
        "start = cuda.grid(1) * N\nfor i in range(start, start + N):\n    if i < 1024:\n"
        "        out[i] = a[i]\n    if i >= n:\n        break"
    ),
    "another length": "start = cuda.grid(1) * 2 * N\nfor i in range(start, start + N):\n    out[i] = a[i]",
    "a step": "start = cuda.grid(1) * N\nfor i in range(start, start + N, 2):\n    out[i] = a[i]",
    "the thread of the block": (
        "start = cuda.threadIdx.x * N\nfor i in range(start, start + N):\n    out[i] = a[i]"
    ),
    "a barrier": f"{LOOP}out[i] = a[i]\n    cuda.syncthreads()",
}


@pytest.mark.parametrize("name", SAME)
def test_other_loops_stay(tmp_path: Path, name: str) -> None:
    assert {"uncoalesced-access"} & {one.rule for one in report_on(tmp_path, kernel(SAME[name])).findings}
    assert fixed(tmp_path, FIX, kernel(SAME[name])) == kernel(SAME[name])


PROGRAM = kernel("""
    start = cuda.grid(1) * N
    for i in range(start, start + N):
        if i < n:
            x = a[i] * 2
            out[i] = x + a[n - 1 - i]
    """)
PROGRAM += """

def run(a, threads):
    out = np.zeros_like(a)
    blocks = (len(a) + N * threads - 1) // (N * threads)
    spread[blocks, threads](a, out, len(a))
    return out
"""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, PROGRAM)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 2000), st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(
    simulated: SimulatedRuns, after: str, size: int, threads: int, seed: int
) -> None:
    assert INDEX in after
    a = np.random.default_rng(seed).standard_normal(size, dtype=np.float32)
    expected = simulated.call(PROGRAM, "run", a, threads)
    assert np.array_equal(simulated.call(after, "run", a, threads), expected)
