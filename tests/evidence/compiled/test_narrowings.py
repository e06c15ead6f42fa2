"""Where float64 data is rounded to float32 on its way to float64 results, as Numba types the statements."""

from __future__ import annotations

import sys

import pytest
from small_kernels import F32, F64, FIRST, elementwise

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.evidence.compiled.evidence import Narrowing
from advisor.evidence.compiled.records import kernel_and_line_records
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, FunctionText

DOUBLE, MIXED, SINGLE = (F64, F64, "int64"), (F64, F32, "int64"), (F32, F64, "int64")
SHARED = """
s = cuda.shared.array(64, {kind})
s[i] = x
cuda.syncthreads()
out[i] = s[n]
"""
CONVERTED = "t = float32(x)\nout[i] = t - {taken}"


def kernel(name: str, statements: str, types: tuple[str, ...], **fields: object) -> CompilationUnit:
    return elementwise(statements, types, parameters=("a", "out", "n"), kernel=f"app.py::{name}@11", **fields)  # type: ignore[arg-type]


def guessed(name: str, statements: str, names: tuple[str, ...]) -> CompilationUnit:
    made = kernel(name, statements, DOUBLE)
    typing = ArgumentTypes(DOUBLE, ("These are guesses.",), names)
    return CompilationUnit(
        made.kernel, made.path, made.functions, aliases=made.aliases, candidates=(typing,),
        parameters=made.parameters,
    )  # fmt: skip


def device(signature: str) -> tuple[FunctionText, ...]:
    return (FunctionText("f", f"def f(v):\n    w = float32(v)\n    return {signature}\n", "lib.py", 5),)


NARROWED = {
    # What rounds, the line, the array, and whether float32 computes with it.
    "shared": (kernel("shared", SHARED.format(kind="float32"), DOUBLE), ("app.py", FIRST + 1, "s", False)),
    "local": (
        kernel("local", "s = cuda.local.array(4, float32)\ns[0] = x * x\nout[i] = s[n]", DOUBLE),
        ("app.py", FIRST + 1, "s", False),
    ),
    "sum": (
        kernel("sum", SHARED.format(kind="float32").replace("= x", "= x\ns[i] += s[n]"), DOUBLE),
        ("app.py", FIRST + 1, "s", True),
    ),
    "converted": (kernel("converted", CONVERTED.format(taken="a[0]"), DOUBLE), ("app.py", FIRST, "", False)),
    "for float32": (
        kernel("float32", CONVERTED.format(taken="float32(n) * t"), DOUBLE),
        ("app.py", FIRST, "", True),
    ),
    "in a device function": (
        kernel("device", "out[i] = f(x)", DOUBLE, devices=device("w")),
        ("lib.py", 6, "", False),
    ),
}
KEPT = {
    "float64 array": kernel("array64", SHARED.format(kind="np.float64"), DOUBLE),
    "float32 data": kernel("data32", SHARED.format(kind="float32"), SINGLE),
    "float32 results": kernel("results32", SHARED.format(kind="float32"), MIXED),
    "no result of it": kernel("unused", "s = cuda.shared.array(64, float32)\ns[i] = x\nout[i] = x", DOUBLE),
    "nothing is converted": kernel("plain", "out[i] = x - a[0]", DOUBLE),
    "whole numbers": kernel("whole", "t = float32(i)\nout[i] = t - x", DOUBLE),
    "data by guess": guessed("guess", SHARED.format(kind="float32"), ("a",)),
    "results by guess": guessed("guesses", SHARED.format(kind="float32"), ("out",)),
}


@pytest.fixture(scope="module")
def evidence() -> CompiledEvidence:
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    units = [*(unit for unit, _ in NARROWED.values()), *KEPT.values()]
    return compile_units(units, Target((9, 0)), cache=None, timeout=240, jobs=1, stock=own_stock())


@pytest.mark.parametrize("name", NARROWED)
def test_what_rounds(evidence: CompiledEvidence, name: str) -> None:
    assert not evidence.problems
    unit, (path, line, into, computed) = NARROWED[name]
    compiled = evidence.by_kernel[unit.kernel]
    assert compiled.narrowings[0] == Narrowing(path, line, ("a",), into, computed)
    records = [one for one in kernel_and_line_records(unit, compiled) if one.entity == "line"]
    at = [one for one in records if (one.path, one.span.line) == (path, line)]
    assert [one.readings["narrowed_data"].value for one in at] in (["`a`"], [])
    told = [one for one in records if one.readings["narrowed_data"].value]
    assert len(told) <= len(compiled.narrowings)


@pytest.mark.parametrize("name", KEPT)
def test_what_rounds_nothing(evidence: CompiledEvidence, name: str) -> None:
    assert not evidence.problems
    assert evidence.by_kernel[KEPT[name].kernel].narrowings == ()
