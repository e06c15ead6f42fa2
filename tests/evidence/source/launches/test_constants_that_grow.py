"""Sizes that rest on themselves, or on each other many times over, end quickly: known or unknown."""

from __future__ import annotations

import gc
import time

import pytest
from surveying import survey_text, value

from advisor.evidence.source.analysis import analyse
from advisor.model.compilation_unit import CompilationUnit

KERNEL = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i < N:\n        a[i] = N\n"
LAUNCH = "    k[{grid}, {block}](a)\n"
# By hand: 1 + 1 + 1 = 3, nine times over, and so on; beyond some depth nothing is known.
THREES = "".join(f"    n{at + 1} = n{at} + n{at} + n{at}\n" for at in range(40))
GROWING = {
    "in a function": "def run(a):\n    n0 = 1\n" + THREES + LAUNCH.format(grid="n40", block="n39"),
    "of itself": (
        "def run(a):\n    n = 4\n"
        + "    n = n + n * n + n * n * n\n" * 40
        + LAUNCH.format(grid="n", block="n")
    ),
    "of itself in loops": (
        "def run(a):\n    n = m = 4\n    while n:\n        n = m + m * n + n\n        m = n + n * m\n"
        "        for _ in range(n):\n            n = n + n * m + m\n            m = n * n * m\n"
        + LAUNCH.format(grid="n", block="m")
    ),
    "at the top": (
        "n0 = 1\n" + THREES.replace("    ", "") + "def run(a):\n" + LAUNCH.format(grid="n40", block="n39")
    ),
    "through functions": (
        "def f0(n):\n    return n\n"
        + "".join(
            f"def f{at + 1}(n):\n    return f{at}(n) + f{at}(n + 1) + f{at}(n + 2)\n" for at in range(40)
        )
        + "def run(a):\n" + LAUNCH.format(grid="f40(1)", block="f39(1)")
    ),
    "through a function that calls itself": (
        "def f(n):\n    return f(n + 1) + f(n + 2) + f(n + 3)\n"
        "def run(a):\n" + LAUNCH.format(grid="f(1)", block="f(2)")
    ),
    "through attributes": (
        "class S:\n    def __init__(self):\n        self.n0 = 1\n"
        + "".join(f"        self.n{at + 1} = self.n{at} + self.n{at} * self.n{at}\n" for at in range(40))
        + "    def run(self, a):\n        k[self.n40, self.n39](a)\n"
    ),
    "tuples": "def run(a):\n"
    + LAUNCH.format(grid="((1,) * 4" + " * 4" * 30 + ")", block="((1,) * 4 * 4 * 4)"),
    "powers": "def run(a):\n" + LAUNCH.format(grid="2 ** 62 ** 62 ** 62", block="1 << 1 << 62"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_search_for_garbage():
    """What other tests have left behind takes long to search, in the time of whoever allocates."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("host", GROWING.values(), ids=GROWING)
def test_a_launch_s_sizes_end_quickly(tmp_path, host):
    begin = time.process_time()
    found = survey_text(tmp_path, program="N = 4\n" + KERNEL + host).records
    (launch,) = [one for one in found if one.entity == "launch"]
    assert value(launch, "blocks") is None
    assert value(launch, "block_threads") is None
    # Following each use anew took minutes.
    assert time.process_time() - begin < 2.0


def test_what_can_be_known_still_is(tmp_path):
    host = (
        "def run(a):\n    n0 = 1\n    n1 = n0 + n0\n    n2 = n1 * n1 * n1 * n1\n    k[n2 + n1, n2 * n2](a)\n"
    )
    (launch,) = [
        one for one in survey_text(tmp_path, program="N = 4\n" + KERNEL + host).records
        if one.entity == "launch"
    ]  # fmt: skip
    # n1 = 2, n2 = 16: 18 blocks of 256 threads.
    assert (value(launch, "blocks"), value(launch, "block_threads")) == (18.0, 256.0)


def unit_of(folder, text) -> CompilationUnit:
    file = folder / "program.py"
    file.write_text("from numba import cuda\n" + text)
    (unit,) = analyse([file], folder, with_units=True).units
    return unit


def test_a_constant_of_a_kernel_that_doubles_many_times_is_found_quickly(tmp_path):
    begin = time.process_time()
    chain = "N0 = 1\n" + "".join(f"N{at + 1} = N{at} + N{at}\n" for at in range(40)) + "N = N40\n"
    assert unit_of(tmp_path, chain + KERNEL).constants == {"N": str(2**40)}
    assert time.process_time() - begin < 2.0


def test_constants_of_a_kernel_that_rest_on_each_other_end_quickly(tmp_path):
    begin = time.process_time()
    names = [f"N{at}" for at in range(12)]
    circle = "".join(f"{one} = {other}\n" for one in names for other in names if one != other)
    unit = unit_of(tmp_path, circle + "N = N0\n" + KERNEL)
    assert [one.name for one in unit.placeholders] == ["N"]
    assert time.process_time() - begin < 2.0
