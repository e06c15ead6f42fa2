"""Blocks of whole warps: launch, constants and grid change together, or nothing does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.check.pipeline import check
from advisor.fixes.application import applied
from advisor.fixes.support.edits.source_module import read_module
from advisor.fixes.support.kernel.block_free_kernel import checked_axes, covers_with_any_grid
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

FIX = "block-size"
HEAD = """
import math
import numpy as np
from numba import cuda

"""
KERNELS = '''
@cuda.jit
def scale(a, out):
    """Twice."""
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] * 2


@cuda.jit
def add(a, out):
    x = cuda.threadIdx.x
    i = x + cuda.blockIdx.x * cuda.blockDim.x
    n = out.shape[0]
    if i >= n:
        return
    out[i] = a[i] + 1


@cuda.jit
def count(a, out):
    for i in range(cuda.grid(1), a.shape[0], cuda.gridsize(1)):
        if a[i] > 0.5:
            cuda.atomic.add(out, 0, 1)


@cuda.jit
def place_in_block(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + cuda.threadIdx.x


'''
CONSTANT = """
BLOCK = (22, 22)  # 484 threads


def run(a):
    a = a.reshape(-1, 5)
    out = np.zeros_like(a)
    grid = ((a.shape[0] + BLOCK[0] - 1) // BLOCK[0], (a.shape[1] + BLOCK[1] - 1) // BLOCK[1])
    scale[grid, BLOCK](a, out)
    return out


def other(grid):
    return grid
"""
LOCAL = """
def run(a):
    out = np.zeros_like(a)
    threads = 100
    blocks = math.ceil(a.size / threads)
    add[blocks, threads](a, out)
    add[max(1, blocks), threads](out, out)
    return out
"""
LITERALS = """
def run(a):
    out = np.zeros_like(a)
    add[(a.size + 99) // 100, 100](a, out)
    add[(99 + a.size) // 100, (100,)](out, out)
    return out
"""
SHARED = """
T = 20


def run(a):
    a = a.reshape(-1, 5)
    out, extra = np.zeros_like(a), np.zeros(T)
    across = -(-a.shape[1] // T)
    scale[(a.shape[0] // T + 1, across), (T, T)](a, out)
    return out + extra[0]
"""
SHARED_AFTER = """
T = 20


def run(a):
    a = a.reshape(-1, 5)
    out, extra = np.zeros_like(a), np.zeros(T)
    across = -(-a.shape[1] // 8)
    scale[(a.shape[0] // 32 + 1, across), (32, 8)](a, out)
    return out + extra[0]
"""
STRIDES = """
THREADS = 100


def run(a):
    out = np.zeros(1, np.int32)
    count[32, THREADS](a, out)
    count[a.size // THREADS + 1, THREADS](a, out)
    return out
"""
FIXED_GRID = """
def run(a):
    out = np.zeros_like(a)
    add[1000, (20, 1)](a, out)
    return out
"""
CHANGED = {
    "a constant of two axes": (CONSTANT, CONSTANT.replace("(22, 22)", "(32, 8)")),
    "a local constant of two launches": (LOCAL, LOCAL.replace("100", "128")),
    "numbers in the launch": (LITERALS, LITERALS.replace("100", "128").replace("99", "127")),
    "a constant that an array has as well": (SHARED, SHARED_AFTER),
    "grid-stride loops": (STRIDES, STRIDES.replace("100", "128")),
    # 1000 * 20 threads before, 157 * 128 afterwards.
    "a grid of a fixed size": (FIXED_GRID, FIXED_GRID.replace("[1000, (20, 1)]", "[157, (128, 1)]")),
}
LEFT = {
    "whole warps": CONSTANT.replace("22, 22", "16, 16"),
    "the grid leaves out a rest": LOCAL.replace("math.ceil(a.size / threads)", "a.size // threads"),
    "the grid follows something else": LOCAL.replace("math.ceil(a.size / threads)", "len(a)"),
    "axes that are confused": CONSTANT.replace("BLOCK[1] - 1) // BLOCK[1]", "BLOCK[0] - 1) // BLOCK[0]"),
    "the kernel looks at the block": LOCAL.replace("add[", "place_in_block["),
    "half of the threads of one block": FIXED_GRID.replace("[1000, (20, 1)]", "[1, (60, 1)]"),
    "of elsewhere": LOCAL.replace("threads = 100", "threads = int('100')"),
    "bound twice": LOCAL.replace("threads = 100", "threads = 64\n    threads = 100"),
    "work for each thread of a block": LOCAL.replace(
        "math.ceil(a.size / threads)", "-(-a.size // (threads * 4))"
    ),
    "a name that is used elsewhere and a grid too": LOCAL.replace("return out", "return out[:blocks]"),
    "with shared memory": LOCAL.replace("threads](", "threads, 0, 64]("),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changed(tmp_path: Path, name: str) -> None:
    before, after = CHANGED[name]
    assert fixed(tmp_path, FIX, HEAD + KERNELS + before) == (HEAD + KERNELS + after).lstrip("\n")


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = HEAD + KERNELS + LEFT[name]
    assert fixed(tmp_path, FIX, text) == text.lstrip("\n")


GUARDED = [
    ("i = cuda.grid(1)\nif i < n:\n    a[i] = 1", "x"),
    ("i = cuda.grid(1)\nif n > i and a[i] > 0:\n    a[i] = 1", "x"),
    ("i = cuda.grid(1)\nif 0 < i < a.shape[0] - 1:\n    a[i] = a[i - 1]", "x"),
    ("i, j = cuda.grid(2)\nif i >= a.shape[0] or n <= j:\n    return\na[i, j] = 1", "xy"),
    ("i, j = cuda.grid(2)\nif i >= n:\n    return\nif j < n:\n    a[i, j] = 1", "xy"),
    ("i = cuda.grid(1)\nrow = i // 4\nif i < n:\n    a[row] = math.sqrt(2.0)", "x"),
]
UNGUARDED = [
    "i = cuda.grid(1)\na[i] = 1",
    "i = cuda.grid(1)\nif i < n:\n    a[i] = 1\na[0] = 2",
    "i = cuda.grid(1)\nx = a[i]\nif i < n:\n    a[i] = x + 1",
    "i = cuda.grid(1)\nif a[i] > 0 and i < n:\n    a[i] = 1",
    "i = cuda.grid(1)\nif i < n or n == 3:\n    a[i] = 1",
    "i = cuda.grid(1)\nif i < n:\n    a[i] = 1\nelse:\n    a[0] = 1",
    "i, j = cuda.grid(2)\nif i < n:\n    a[i, j] = 1",
    "i = cuda.grid(1)\nend = i + 3\nif i < end:\n    a[i] = 1",
    "i = cuda.grid(1)\nif i < n:\n    a[i] = cuda.blockDim.x",
    "i = cuda.grid(1)\nif i < n:\n    a[i] = cuda.laneid",
    "i = cuda.grid(1)\nif i < n:\n    cuda.syncthreads()\n    a[i] = 1",
    "t = cuda.shared.array(32, float32)\ni = cuda.grid(1)\nif i < n:\n    a[i] = t[0]",
    "i = cuda.blockIdx.x * 100 + cuda.threadIdx.x\nif i < n:\n    a[i] = 1",
    "i = cuda.grid(1)\ni += 1\nif i < n:\n    a[i] = 1",
    "i = cuda.grid(1)\nif i < n:\n    other(a, i)",
    "i = cuda.grid(1)\nif i < n:\n    asks(a, i)",
    "i = cuda.grid(1)\nwhile i < n:\n    a[i] = 1\n    i += 5",
]


def parts(body: str) -> tuple[frozenset[str], bool]:
    lines = "\n    ".join(body.split("\n"))
    text = f"{HEAD}\ndef asks(a, i):\n    a[i] = cuda.threadIdx.x\n\n\n@cuda.jit\ndef k(a, n):\n    {lines}\n"
    module = read_module(text)
    assert module is not None
    kernel = module.function_around(text.index("def k"))
    assert kernel is not None
    return checked_axes(module, kernel), covers_with_any_grid(module, kernel)


@pytest.mark.parametrize(("body", "axes"), GUARDED)
def test_kernels_that_check_their_index(body: str, axes: str) -> None:
    assert parts(body) == (frozenset(axes), False)


@pytest.mark.parametrize("body", UNGUARDED)
def test_kernels_that_do_not_or_depend_on_the_block(body: str) -> None:
    assert parts(body) == (frozenset(), False)


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 80), st.sampled_from(sorted(CHANGED)), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, fifths: int, name: str, seed: int) -> None:
    a = np.random.default_rng(seed).random(5 * fifths)
    before, after = (simulated.call(HEAD + KERNELS + text, "run", a) for text in CHANGED[name])
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("line", "stays"), [("from k import BLOCK", True), ("BLOCK = (3, 3)  # not theirs", False)]
)
def test_a_constant_that_another_file_imports_stays(tmp_path: Path, line: str, stays: bool) -> None:
    (tmp_path / "k.py").write_text(HEAD + KERNELS + CONSTANT)
    (tmp_path / "other.py").write_text(f"{HEAD}{line}\n\n\n@cuda.jit\ndef one(a):\n    a[0] = 1\n")
    options = CheckOptions(
        "a100-80gb", tmp_path, "source", settings=Config(root=tmp_path), workspace_files=()
    )
    report = check([tmp_path / "k.py", tmp_path / "other.py"], options)
    (fix,) = (fix for finding in report.findings for fix in finding.fixes if fix.id == FIX)
    after = applied(report.texts["k.py"], [fix])
    assert ("BLOCK = (22, 22)" in after) is stays
    assert ("scale[grid, (32, 8)]" in after) is stays
