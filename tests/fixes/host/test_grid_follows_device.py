"""A fixed grid of a kernel with grid-stride loops follows the device: forms, what stays, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "grid-follows-device"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\nBLOCKS = 8\n\n\n"
LAUNCH = "k[BLOCKS, 128](a, out)"
COUNT = "4 * cuda.get_current_device().MULTIPROCESSOR_COUNT"
STRIDE = "for i in range(cuda.grid(1), a.shape[0], cuda.gridsize(1)):\n    "
PLAIN = f"{STRIDE}out[i] = 2 * a[i]"


def program(body: str, launch: str = LAUNCH) -> str:
    inner = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{HEAD}@cuda.jit\ndef k(a, out):\n{inner}\n\n\ndef run(a, out):\n    {launch}\n"


CHANGES = {
    "a name": (PLAIN, LAUNCH, f"k[{COUNT}, 128](a, out)"),
    "a number": (PLAIN, "k[32, 128](a, out)  # all", f"k[{COUNT}, 128](a, out)  # all"),
    "a computed number": (PLAIN, "k[BLOCKS * 4, 128](a, out)", f"k[{COUNT}, 128](a, out)"),
    "more elements than threads": (
        PLAIN,
        f"a = np.zeros(1025)\n    {LAUNCH}",
        f"a = np.zeros(1025)\n    k[{COUNT}, 128](a, out)",
    ),
    "start and stride in names, an atomic sum": (
        "start = cuda.grid(1)\nstride = cuda.gridsize(1)\nn = len(a)\nfor i in range(start, n, stride):\n"
        "    x = a[i]\n    for j in range(3):\n        x += j\n    cuda.atomic.add(out, 0, x)",
        LAUNCH,
        f"k[{COUNT}, 128](a, out)",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_grid_follows_the_device(tmp_path: Path, name: str) -> None:
    body, before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, program(body, before)) == program(body, after)


def test_an_import_that_may_fail_names_the_module(tmp_path: Path) -> None:
    tried = "try:\n    from numba import cuda\nexcept ImportError:\n    raise\n"
    before, after = (
        program(PLAIN, launch).replace("from numba import cuda\n", tried)
        for launch in (LAUNCH, f"k[{COUNT}, 128](a, out)")
    )
    assert fixed(tmp_path, FIX, before) == after


SAME = {
    "one element for each thread": (
        "i = cuda.grid(1)\nif i < a.shape[0]:\n    out[i] = a[i]",
        f"a = np.zeros(1025)\n    out = np.zeros(1025)\n    {LAUNCH}",
    ),
    "a sum of the thread": (f"total = 0.0\n{STRIDE}total += a[i]\nout[0] = total", LAUNCH),
    "a sum of the thread, added up": (
        f"total = 0.0\n{STRIDE}total += a[i]\ncuda.atomic.add(out, 0, total)",
        LAUNCH,
    ),
    "a count that goes on": (f"count = 0\n{STRIDE}count += 1\n    out[i] = count", LAUNCH),
    "an early end": (f"{STRIDE}if a[i] > 1:\n        break\n    out[i] = a[i]", LAUNCH),
    "the size of the grid": (f"{STRIDE}out[i] = a[i] + cuda.gridsize(1)", LAUNCH),
    "the block": (f"{STRIDE}out[i] = a[i] + cuda.blockIdx.x", LAUNCH),
    "the start is needed": (
        "start = cuda.grid(1)\nfor i in range(start, a.shape[0], cuda.gridsize(1)):\n    out[i] = start",
        LAUNCH,
    ),
    "another stride": ("for i in range(cuda.grid(1), a.shape[0], 1024):\n    out[i] = a[i]", LAUNCH),
    "a store of each thread": (f"{PLAIN}\nout[0] = 1", LAUNCH),
    "a grid of two axes": (PLAIN, "k[(4, 2), 128](a, out)"),
    "a thread for each element": (PLAIN, f"a = np.zeros(1024)\n    {LAUNCH}"),
    "a thread for each random number": (
        PLAIN.replace("a.shape[0]", "len(a)"),
        f"a = np.random.normal(size=(50,)).astype(np.float32)\n    {LAUNCH}",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_other_launches_stay(tmp_path: Path, name: str) -> None:
    text = program(*SAME[name])
    told = {one.rule for one in report_on(tmp_path, text).findings}
    assert told & {"grid-too-small", "elements-without-thread"}
    assert fixed(tmp_path, FIX, text) == text


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, program(PLAIN))


@settings(max_examples=5, deadline=None)
@given(st.integers(1, 3000), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(simulated: SimulatedRuns, after: str, size: int, seed: int) -> None:
    assert COUNT in after
    a = np.random.default_rng(seed).standard_normal(size)
    for text in (program(PLAIN), after):
        assert np.array_equal(simulated.call(text, "run", a, np.zeros(size))[1], 2 * a)
