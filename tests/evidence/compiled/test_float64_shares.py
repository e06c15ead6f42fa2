"""The share of executed instructions that is a line's float64: by hand, each loop counting 32 times."""

from __future__ import annotations

import pytest

from advisor.evidence.compiled.evidence import CodeLine, CompiledKernel
from advisor.evidence.compiled.loop_depths import loop_depths
from advisor.evidence.compiled.records import kernel_and_line_records
from advisor.model.compilation_unit import CompilationUnit, FunctionText

SOURCE = """def k(a, n):
    i = cuda.grid(1)
    s = f(a[i])
    for j in range(n):
        while s > j:
            s -= 1
        s += a[j]
    a[i] = s * 0.5
"""


def test_loops_around_lines():
    assert loop_depths(SOURCE) == {5: 2, 6: 2, 7: 1}
    assert loop_depths("for i in a: b(i)") == {1: 1}
    assert loop_depths("def k(:") == {}


def shares(
    lines: dict[int, tuple[int, int]], device: dict[int, tuple[int, int]]
) -> dict[tuple[str, int], object]:
    """The shares by place, of a kernel from line 11 on and a device function in another file."""
    functions = (
        FunctionText("k", SOURCE, "a.py", 11, device=False),
        FunctionText("f", "def f(x):\n    return x * 2.0\n", "b.py", 1),
    )
    code = [
        CodeLine(path, line + before, {"instructions": every, "fp64_instructions": float64})
        for path, before, counts in (("a.py", 10, lines), ("b.py", 0, device))
        for line, (every, float64) in counts.items()
    ]
    kernel = CompiledKernel((), (), {}, {}, tuple(code))
    found = kernel_and_line_records(CompilationUnit("a.py::k", "a.py", functions), kernel)
    return {
        (one.path, one.span.line): one.readings["fp64_share"].value
        for one in found
        if "fp64_share" in one.readings
    }


def test_by_hand():
    # 10 + 4 instructions once, 2 in each of 32 iterations, 3 in each of 1,024: 14 + 64 + 3,072.
    found = shares({2: (10, 0), 8: (4, 2), 7: (2, 1), 6: (3, 1)}, {})
    total = 14 + 64 + 3072
    assert found == {
        ("a.py", 12): 0.0,
        ("a.py", 18): pytest.approx(2 / total),
        ("a.py", 17): pytest.approx(32 / total),
        ("a.py", 16): pytest.approx(1024 / total),
    }


def test_a_device_function_has_no_share_and_counts_once():
    found = shares({8: (4, 2)}, {2: (6, 1)})
    assert found == {("a.py", 18): pytest.approx(2 / 10)}


def test_without_machine_code_nothing_is_told():
    assert shares({8: (0, 0)}, {}) == {}
