"""A device function that a factory makes of another one, and that a kernel calls."""

from __future__ import annotations

from pathlib import Path

from units import unit_of

PROGRAM = """
from numba import cuda

@cuda.jit(device=True)
def crossed(before, now):
    return before < 0 <= now

def make_counter(condition):
    @cuda.jit(device=True)
    def counter(a, n, start):
        count = start
        for i in range(1, n):
            if condition(a[i - 1], a[i]):
                count += 1
        return count
    return counter

def make(condition):
    counter = make_counter(condition)
    @cuda.jit
    def kernel(a, out):
        out[0] = counter(a, a.size, 0)
    return kernel

k = make(crossed)
"""


def test_the_kernel_calls_what_the_factory_returns_and_not_what_it_is_given(tmp_path: Path) -> None:
    unit = unit_of(tmp_path, program=PROGRAM)
    assert unit.missing == ()
    assert [one.name for one in unit.functions] == ["crossed", "counter", "kernel"]
    assert (
        "`condition` is taken to be `crossed`, as the call of `make` in line 24 gives it." in unit.assumptions
    )


def test_what_two_calls_of_a_factory_make_is_not_known(tmp_path: Path) -> None:
    twice = PROGRAM.replace("    @cuda.jit\n", "    other = make_counter(None)\n    @cuda.jit\n")
    (missing,) = unit_of(tmp_path, program=twice).missing
    assert missing.startswith("counter in line ")


def test_what_a_factory_returns_and_nothing_compiles_is_not_known(tmp_path: Path) -> None:
    plain = PROGRAM.replace("    @cuda.jit(device=True)\n", "")
    (missing,) = unit_of(tmp_path, program=plain).missing
    assert missing.startswith("counter in line ")
