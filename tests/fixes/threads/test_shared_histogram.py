"""A histogram's copy in shared memory: what becomes of the kernel, what stays, equal counts."""

from __future__ import annotations

import numpy as np
import pytest
from fixing import fixed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.fixes.known_facts import Row
from advisor.fixes.support.edits.source_module import read_module
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.launches.launch_sites import launch_site
from advisor.model.text.source_text import Span

HEAD = "import numpy as np\nfrom numba import cuda\n\nBINS = 64\n\n\n@cuda.jit\n"
GUARDED = """def count(values, hist):
    i = cuda.grid(1)
    if i < values.size:  # guarded
        cuda.atomic.add(hist, values[i], 1)
"""
LOOP = """def count(values, hist):
    width = hist.size
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        bin = int(values[i]) % width
        if values[i] > 0:
            cuda.atomic.add(hist, bin, values[i])
        else:
            cuda.atomic.add(hist, 0, 1)
    # done
"""
LAUNCH = """

def run(values):
    hist = cuda.to_device(np.zeros(BINS, dtype=np.int32))
    count[8, 128](values, hist)
    return hist.copy_to_host()
"""
BEFORE = """    shared_hist = cuda.shared.array(64, hist.dtype)
    for k in range(cuda.threadIdx.x, 64, cuda.blockDim.x):
        shared_hist[k] = 0
    cuda.syncthreads()
"""
BEHIND = """
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 64, cuda.blockDim.x):
        if shared_hist[k] != 0:
            cuda.atomic.add(hist, k, shared_hist[k])
"""


def mended(kernel: str, at: str) -> str:
    return kernel.replace(at, BEFORE + at).replace("add(hist", "add(shared_hist") + BEHIND


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (GUARDED, mended(GUARDED, "    if i")),
        (LOOP, mended(LOOP, "    for i")),
        (
            GUARDED.replace("i = ", "k = ").replace("i <", "k <").replace("[i]", "[k]"),
            mended(GUARDED, "    if i")
            .replace("for k", "for k_2").replace("hist[k]", "hist[k_2]").replace("hist, k,", "hist, k_2,")
            .replace("i = ", "k = ").replace("if i", "if k").replace("[i]", "[k]"),
        ),
    ],
)  # fmt: skip
def test_it_counts_in_shared_memory(tmp_path, before: str, after: str) -> None:
    assert fixed(tmp_path, "shared-histogram", HEAD + before + LAUNCH) == HEAD + after + LAUNCH


@pytest.mark.parametrize("kernel", [GUARDED, LOOP])
@pytest.mark.parametrize(("bins", "offered"), [(1, False), (2, True)])
def test_one_bin_is_a_sum(tmp_path, kernel: str, bins: int, offered: bool) -> None:
    text = HEAD.replace("BINS = 64", f"BINS = {bins}") + kernel + LAUNCH
    assert (fixed(tmp_path, "shared-histogram", text) != text) is offered


def test_threads_of_two_dimensions_are_counted_through(tmp_path) -> None:
    text = HEAD + GUARDED.replace("cuda.grid(1)", "cuda.threadIdx.x + 8 * cuda.threadIdx.y") + LAUNCH
    after = fixed(tmp_path, "shared-histogram", text.replace("128", "(8, 16)"))
    thread = "cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y"
    assert f"for k in range({thread}, 64, cuda.blockDim.x * cuda.blockDim.y):\n" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("np.zeros(BINS, dtype=np.int32)", "np.zeros(values.max(), dtype=np.int32)"),
        ("np.zeros(BINS, dtype=np.int32)", "np.zeros((1, BINS), dtype=np.int32)"),
        ("np.zeros(BINS, dtype=np.int32)", "np.zeros(5000, dtype=np.int32)"),
        ("np.zeros(BINS, dtype=np.int32)", "np.zeros(3000)"),
        (", hist)\n    return", ", values)\n    return"),
        ("    return hist", "    count[1, 1](values, np.zeros(3, np.int32))\n    return hist"),
        ("    if i < values.size:", "    if i >= values.size:\n        return\n    else:"),
        ("        cuda.atomic", "        old = cuda.atomic"),
        ("        cuda.atomic", "        values[i] += hist[0]\n        cuda.atomic"),
        ("values[i], 1)\n", "values[i], 1)\n        cuda.atomic.max(hist, 0, 1)\n"),
        ("    i = ", "    own = cuda.shared.array(12250, np.float32)\n    i = "),
        ("values[i], 1", "i, 1"),
        ("[8, 128]", "[8, 32]"),
    ],
)
def test_it_leaves_alone(tmp_path, old: str, new: str) -> None:
    text = HEAD + GUARDED + LAUNCH
    assert text.count(old) == 1
    assert fixed(tmp_path, "shared-histogram", text.replace(old, new)) == text.replace(old, new)


@pytest.mark.parametrize(
    ("made", "dtype", "shape"),
    [
        ("np.zeros(shape=7, dtype='int32')", "int32", (7,)),
        ("cuda.device_array((4, n), np.float32)", "float32", (4, None)),
        ("np.zeros_like(given)", None, None),
        ("cuda.to_device(np.ones(WIDE).astype(np.int64))", "int64", (6,)),
        ("cuda.device_array_like(np.full((2, 3), 1.0, np.float64))", "float64", (2, 3)),
    ],
)
def test_arrays_of_launches(made: str, dtype: str | None, shape: tuple[int | None, ...] | None) -> None:
    text = f"""import numpy as np
from numba import cuda
WIDE = 2 * 3
def run(given, n):
    out = {made}
    k[1, 2](given, out)
"""
    module = read_module(text)
    assert module is not None
    site = launch_site(module, Row("k", "k.py", Span(6, 5, 6, 24)))
    assert site is not None
    assert argument_array(site, 0).shape is None
    found = argument_array(site, 1)
    assert (found.dtype, found.shape) == (dtype, shape)
    assert argument_array(site, 2).shape is None


PROGRAM = """import numpy as np
from numba import cuda

BINS = 37

@cuda.jit
def count(values, weights, hist, sums):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        if values[i] < hist.size:
            cuda.atomic.add(hist, values[i], 1)
            cuda.atomic.add(sums, values[i], weights[i])
        else:
            cuda.atomic.add(hist, -1, 1)

def run(values, weights):
    hist = np.zeros(BINS, dtype=np.uint32)
    sums = np.ones(BINS, dtype=np.float32)
    count[3, (20, 2)](values, weights, hist, sums)
    return hist, sums
"""
_AFTER: list[str] = []


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 700), st.integers(1, 60), st.integers(0, 99))
def test_counts_stay_equal(tmp_path, simulated: SimulatedRuns, size: int, most: int, seed: int) -> None:
    if not _AFTER:
        _AFTER.append(fixed(tmp_path, "shared-histogram", PROGRAM))
    assert _AFTER[0].count("cuda.shared.array") == 2
    random = np.random.default_rng(seed)
    values, weights = random.integers(0, most, size), random.random(size, np.float32)
    expected, found = (simulated.call(text, "run", values, weights) for text in (PROGRAM, _AFTER[0]))
    assert expected[0].tolist() == found[0].tolist()
    np.testing.assert_allclose(expected[1], found[1], rtol=1e-5)
