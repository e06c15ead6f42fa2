"""Device functions that call themselves or each other are followed once."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

from advisor.evidence.source.analysis import analyse

ITSELF = """
@cuda.jit("int32(int32)", device=True)
def f(n):
    if n < 2:
        return np.int32(0)
    return f(n // 2) + np.int32(1)
"""
EACH_OTHER = """
@cuda.jit("int32(int32)", device=True)
def f(n):
    return g(n - 1)

@cuda.jit("int32(int32)", device=True)
def g(n):
    return f(n - 1) * 2
"""
KERNEL = """
@cuda.jit
def k(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = f(a[i])
"""


@pytest.mark.parametrize("functions", [ITSELF, EACH_OTHER])
def test_a_recursive_function_leaves_its_kernel_known(tmp_path: Path, functions: str) -> None:
    found = [one for one in records(tmp_path, "access", functions + KERNEL) if one.label == "a"]
    assert [value(one, "sectors_per_request") for one in found] == [4, 4]
    program = analyse([tmp_path / "program.py"], tmp_path, with_units=True)
    assert len(program.units) == 1
    assert program.problems == []
