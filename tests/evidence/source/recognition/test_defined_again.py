"""Names that a script or a notebook defines again: a kernel has those of the time at which it is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import survey_text

from advisor.evidence.source.analysis import analyse
from advisor.model.compilation_unit import CompilationUnit

KERNEL = "@cuda.jit{}\ndef k(a):\n    a[0] = N"
LAUNCH = "k[1, 32](a)"
EAGER = KERNEL.format("('void(float32[:])')")
LAZY = KERNEL.format("")


def units(folder: Path) -> list[CompilationUnit]:
    return analyse([folder / "program.py"], folder, with_units=True).units


@pytest.mark.parametrize(
    ("statements", "value", "others"),
    [
        (["N = 1", LAZY, LAUNCH, "N = 2"], "1", []),
        (["N = 1", LAZY, "N = 2", LAUNCH], "2", []),
        (["N = 1", LAZY, LAUNCH, "N = 2", LAUNCH], "1", []),
        (["N = 1", EAGER, "N = 2", LAUNCH], "1", []),
        (["M = 2", "N = M * 3", "M = 5", LAZY, LAUNCH], "6", []),
        (["N = 1", "N += 1", "N = 7", LAZY, LAUNCH], "7", []),
        # What a run decides, and launches of which nobody knows when they are.
        (["N = 1", "if input():\n    N = 2", LAZY, LAUNCH], "1", ["2"]),
        (["N = 1", LAZY, f"def run(a):\n    {LAUNCH}", "N = 2"], "1", ["2"]),
        (["N = 1", LAZY, "N = 2"], "1", ["2"]),
        (["N = 1", "def f():\n    global N\n    N = 5", LAZY, LAUNCH, "N = 2"], "1", ["2", "5"]),
    ],
)
def test_a_global_has_the_value_that_it_has_when_the_kernel_is_compiled(
    tmp_path: Path, statements: list[str], value: str, others: list[str]
) -> None:
    (tmp_path / "program.py").write_text("\n".join(["from numba import cuda", *statements, ""]))
    (unit,) = units(tmp_path)
    assert unit.constants == {"N": value}
    assert [one.constants["N"] for one in unit.others] == others


TWICE = """
@cuda.jit(device=True)
def put(a, i):
    cuda.atomic.add(a, 0, 1)
@cuda.jit
def k(a):
    put(a, cuda.grid(1))
{first}
@cuda.jit(device=True)
def put(a, i):
    cuda.atomic.add(a, i + 1, 1)
@cuda.jit
def k(a):
    put(a, cuda.grid(1))
{second}
"""


@pytest.mark.parametrize("launches", [("k[4, 64](a)", "k[8, 32](a)"), ("", "")])
def test_each_kernel_calls_the_device_function_above_it(tmp_path: Path, launches: tuple[str, str]) -> None:
    text = TWICE.format(first=launches[0], second=launches[1])
    source = survey_text(tmp_path, program=text)
    owners = {one.key: one.span.line for one in source.records if one.entity == "kernel"}
    atomics = sorted(
        (owners[str(one.owner)], one.span.line) for one in source.records if one.entity == "atomic"
    )
    assert atomics == [(9, 7), (16, 14)]
    found = {one.kernel: [it.line for it in one.functions] for one in units(tmp_path)}
    assert sorted(found.values()) == [[6, 9], [13, 16]]
