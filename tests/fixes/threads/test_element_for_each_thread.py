"""Runs of elements get a thread for each element, and the grid as many more blocks."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "element-for-each-thread"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\nN = 16\n\n\n"
GRID = "len(a) // 2048 + 1"
LAUNCH = f"walk[{GRID}, 128](a, out, len(a))"


def program(body: str, launch: str = LAUNCH) -> str:
    inner = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{HEAD}@cuda.jit\ndef walk(a, out, n):\n{inner}\n\n\ndef run(a, out):\n    {launch}\n"


START = "start = cuda.grid(1) * N\nfor i in range(start, start + N):"
GUARDED = "if i < n:\n        out[i] = a[i]  # copy\n    # end"
PLAIN = f"{START}\n    {GUARDED}"
AFTER = f"i = cuda.grid(1)\n{textwrap.dedent('    ' + GUARDED)}"
MORE = f"walk[({GRID}) * N, 128](a, out, len(a))"
CHANGES = {
    "a start": (PLAIN, LAUNCH, AFTER, MORE),
    "a comment in the head": (
        f"{START}  # mine\n    {GUARDED}",
        LAUNCH,
        AFTER.replace("grid(1)\n", "grid(1)  # mine\n"),
        MORE,
    ),
    "a counter": (
        f'"""Copies."""\nlast = n\nfor j in range(N):\n    i = cuda.grid(1) * N + j\n    {GUARDED}',
        LAUNCH,
        f'"""Copies."""\nlast = n\n{AFTER}',
        MORE,
    ),
    "a grid with a name, two launches": (
        PLAIN,
        f"blocks = {GRID}\n    walk[blocks, 128](a, out, 9)\n    walk[4, 128](a, out, 8)",
        AFTER,
        f"blocks = {GRID}\n    walk[blocks * N, 128](a, out, 9)\n    walk[4 * N, 128](a, out, 8)",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_element_gets_a_thread(tmp_path: Path, name: str) -> None:
    before, launch, after, more = CHANGES[name]
    assert fixed(tmp_path, FIX, program(before, launch)) == program(after, more)


SAME = {
    "no launch": (PLAIN, "pass"),
    "a grid that may be a tuple": (PLAIN, "walk[grid, 128](a, out, 8)"),
    "a tuple": (PLAIN, "walk[(4, 1), 128](a, out, 8)"),
    "another N where it is launched": (PLAIN, "N = 3\n    walk[4, 128](a, out, N)"),
    "a length that is passed": (PLAIN.replace("N", "n"), LAUNCH),
    "work beside the loop": (f"cuda.atomic.add(out, 0, 1)\n{PLAIN}", LAUNCH),
    "an early end": (f"{START}\n    if i >= n:\n        break\n    out[i] = a[i]", LAUNCH),
    "a value that goes on": (f"x = 0.0\n{START}\n    out[i] = a[i] + x\n    x = a[i]", LAUNCH),
    "the number of threads": (f"all = cuda.gridsize(1)\n{START}\n    out[i] = a[i] + all", LAUNCH),
    "the number of the thread": (
        "t = cuda.grid(1)\nfor i in range(t * N, t * N + N):\n    if i < n:\n        out[i] = a[i] + t",
        LAUNCH,
    ),
    "a number that follows the thread": (
        f"last = cuda.grid(1) + 1\n{START}\n    if i < n:\n        out[i] = a[i] + last",
        LAUNCH,
    ),
    "the thread in the loop": (f"{START}\n    if i < n:\n        out[i] = a[i] + cuda.grid(1)", LAUNCH),
    "a loop in a condition": (
        "start = cuda.grid(1) * N\nif n > 0:\n    for i in range(start, start + N):\n        out[i] = a[i]",
        LAUNCH,
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_other_kernels_stay(tmp_path: Path, name: str) -> None:
    text = program(*SAME[name])
    found = {one.rule for one in report_on(tmp_path, text).findings}
    assert "uncoalesced-access" in found
    assert fixed(tmp_path, FIX, text) == text


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, program(PLAIN))


@settings(max_examples=6, deadline=None)
@given(st.integers(1, 6000), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(simulated: SimulatedRuns, after: str, size: int, seed: int) -> None:
    assert MORE in after
    a = np.random.default_rng(seed).standard_normal(size)
    for text in (program(PLAIN), after):
        assert np.array_equal(simulated.call(text, "run", a, np.zeros(size))[1], a)
