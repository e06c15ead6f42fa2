"""Machine code of units with guesses: what hangs on a guess is not known, all else is."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_kernels import F32, elementwise, unit

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units
from advisor.evidence.compiled.agreement import agreed
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.evidence.compiled.evidence import CompiledKernel
from advisor.evidence.compiled.records import kernel_and_line_records
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, FunctionText, Placeholder
from advisor.model.storage.cache import Cache

BODIES = {"root": "math.sqrt(u)", "fraction": "1 / (u + 3)"}
WIDTH = Placeholder("WIDTH", "int64", "32", "48")
SAID = "`WIDTH` is taken to be 32."
RECORD = "from_dtype([('x', '<f4')], False)[::1]"
WIDER = "from_dtype([('further_1', '<f8'), ('x', '<f4')], False)[::1]"
TYPES = ArgumentTypes((F32, F32, "int32"), (SAID,))


def guessing(statements: str, *placeholders: Placeholder) -> CompilationUnit:
    return elementwise(
        statements,
        types=None,  # type: ignore[arg-type]
        candidates=(TYPES,),
        constants={one.name: one.value for one in placeholders},
        placeholders=placeholders,
    )


def compiled(*units: CompilationUnit) -> CompiledEvidence:
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    return compile_units(list(units), Target((9, 0)), cache=None, timeout=120, jobs=1, stock=own_stock())


def kernel_of(made: CompilationUnit) -> CompiledKernel:
    return compiled(made).by_kernel[made.kernel]


def test_the_bytes_of_a_shared_array_of_a_guessed_size_are_not_known() -> None:
    statements = "s = cuda.shared.array({}, float32)\ns[i] = x\ncuda.syncthreads()\nout[i] = s[n]"
    # 32 floats of 4 bytes.
    assert kernel_of(elementwise(statements.format(32))).resources["shared_bytes"] == 128
    guessed = kernel_of(guessing(statements.format("WIDTH"), WIDTH))
    assert "shared_bytes" not in guessed.resources
    assert guessed.resources["spill_store_bytes"] == 0
    assert guessed.assumptions[0] == SAID
    (differing,) = guessed.assumptions[1:]
    assert differing.startswith("Not known, as the guesses differ in it: ")
    assert "`shared_bytes`" in differing


def test_the_loads_of_a_loop_that_a_guess_unrolls_are_not_known_and_those_of_other_lines_are() -> None:
    small = Placeholder("WIDTH", "int64", "2", "3")
    kernel = kernel_of(
        guessing("y = a[i + 1]\nfor k in range(WIDTH):\n    y += a[i * k + n]\nout[i] = y", small)
    )
    lines = {line.line: line.counts for line in kernel.lines}
    assert lines[14]["global_loads"] == 1
    assert "global_loads" not in lines[16]
    assert "instructions" not in kernel.instructions


def test_a_guess_that_only_bounds_leaves_every_count_known() -> None:
    kernel = kernel_of(guessing("if i < WIDTH:\n    out[i] = x * 2.0", WIDTH))
    known = kernel_of(guessing("if i < 32:\n    out[i] = x * 2.0"))
    assert kernel.instructions == known.instructions
    assert kernel.assumptions == (SAID,)
    assert kernel.resources == known.resources
    assert [one.counts for one in kernel.lines] == [one.counts for one in known.lines]


def test_a_scalar_that_may_be_float32_makes_no_arithmetic_in_float64() -> None:
    gain = Placeholder("GAIN", "float64", "1.3", "np.float32(0.7)")
    kernel = kernel_of(guessing("out[i] = x * GAIN", gain))
    assert "fp64_instructions" not in kernel.instructions
    assert all("fp64_instructions" not in one.counts for one in kernel.lines if one.line == 14)


def test_no_number_is_known_where_the_second_values_do_not_compile() -> None:
    kernel = kernel_of(guessing("out[i] = (1, 2)[WIDTH]", Placeholder("WIDTH", "int64", "1", "5")))
    assert (kernel.resources, kernel.instructions) == ({}, {})
    assert all(one.counts == {} for one in kernel.lines)


def test_promotions_are_not_known_where_lines_are_not() -> None:
    small = Placeholder("WIDTH", "int64", "2", "3")
    made = guessing("y = x * 2.0\nfor k in range(WIDTH):\n    y += a[i * k + n]\nout[i] = y", small)
    records = kernel_and_line_records(made, kernel_of(made))
    lines = [one.readings for one in records if one.entity == "line"]
    assert any("fp64_instructions" not in one for one in lines)
    assert all(("promoted_operations" in one) == ("fp64_instructions" in one) for one in lines)


def test_the_place_of_a_field_is_not_known_and_how_often_it_is_read_is() -> None:
    made = unit(
        "def kernel(r, out):\n    i = cuda.grid(1)\n    out[i] = r[i]['x']\n",
        candidates=(ArgumentTypes((RECORD, F32), ("r is guessed.",), ("r",), alternative=(WIDER, F32)),),
    )
    (line,) = [one for one in kernel_of(made).lines if one.line == 13]
    # The fields of packed records are read byte by byte.
    assert line.counts["global_loads"] == 4
    assert line.counts["global_stores"] == 1


def test_a_field_of_an_aligned_record_is_read_at_once() -> None:
    aligned = str(np.dtype([("x", "f4"), ("y", "f8")], align=True))
    types = (f"from_dtype({aligned}, True)[::1]", F32)
    made = unit("def kernel(r, out):\n    i = cuda.grid(1)\n    out[i] = r[i]['x']\n", types)
    (line,) = [one for one in kernel_of(made).lines if one.line == 13]
    assert line.counts["global_loads"] == 1


def test_a_refusal_with_guessed_values_says_so_at_the_kernel() -> None:
    (problem,) = compiled(guessing("out[i] = x.nothing + WIDTH", WIDTH)).problems
    assert problem.line == 11
    assert problem.message.startswith(
        "The kernel `kernel` was not compiled with the values assumed for `WIDTH`: "
    )


def test_the_second_values_decide_what_is_stored(tmp_path: Path) -> None:
    shared = []
    for second in ("48", "32"):
        made = guessing(
            "s = cuda.shared.array(WIDTH, float32)\ns[i] = x\ncuda.syncthreads()\nout[i] = s[n]",
            Placeholder("WIDTH", "int64", "32", second),
        )
        target = Target((9, 0))
        evidence = compile_units(
            [made], target, cache=Cache(tmp_path), timeout=120, jobs=1, stock=own_stock()
        )
        shared.append(evidence.by_kernel[made.kernel].resources.get("shared_bytes"))
    assert shared == [None, 128]


def several(statements: str, name: str, *texts: str) -> CompilationUnit:
    """A unit with one value of a name, and beside it itself with each of the others."""
    first, *others = (elementwise(statements, (F32, F32, "int32"), constants={name: one}) for one in texts)
    return replace(first, others=tuple(others))


def test_what_any_of_several_values_changes_is_not_known() -> None:
    statements = "s = cuda.shared.array(64, float32)\ns[i] = x\nout[i] = s[n] * (2.0 if MODE == 3 else 1.0)"
    # With 1 and 2 the code is the same; with 3 there is a multiplication in line 16.
    two = kernel_of(several(statements, "MODE", "1", "2"))
    three = kernel_of(several(statements, "MODE", "1", "2", "3"))
    assert two.resources["shared_bytes"] == three.resources["shared_bytes"] == 64 * 4
    assert not [one for one in two.assumptions if one.startswith("Not known")]
    (differing,) = [one for one in three.assumptions if one.startswith("Not known")]
    assert "`instructions`" in differing
    assert "instructions" in two.instructions
    assert "instructions" not in three.instructions


def test_another_function_that_is_called_leaves_known_what_both_share() -> None:
    def calling(function: str) -> CompilationUnit:
        text = FunctionText(function, f"def {function}(u):\n    return {BODIES[function]}\n", "lib.py", 5)
        return elementwise(f"y = a[i + 1]\nout[i] = {function}(y)", (F32, F32, "int32"), devices=(text,))

    first, other = calling("root"), calling("fraction")
    unused, extra = first.functions[0], other.functions[0]
    other = replace(other, functions=(unused, other.functions[1], replace(extra, line=9)))
    kernel = kernel_of(replace(first, others=(other,)))
    lines = {(line.path, line.line): line.counts for line in kernel.lines}
    assert lines["app.py", 14]["global_loads"] == 1
    assert lines["app.py", 15]["global_stores"] == 1
    assert not any(path == "lib.py" and counts for (path, _), counts in lines.items())


def test_the_other_values_decide_what_is_stored(tmp_path: Path) -> None:
    shared = []
    for values in (("32",), ("32", "48"), ("32", "48", "64"), ("32", "32")):
        made = several("s = cuda.shared.array(W, float32)\ns[i] = x\nout[i] = s[n]", "W", *values)
        target = Target((9, 0))
        evidence = compile_units(
            [made], target, cache=Cache(tmp_path), timeout=120, jobs=1, stock=own_stock()
        )
        shared.append(evidence.by_kernel[made.kernel].resources.get("shared_bytes"))
    assert shared == [128, None, None, 128]


def test_what_two_summaries_agree_on() -> None:
    first = {
        "candidate": 1, "resources": {"registers": 20, "stack_bytes": 0}, "instructions": {"instructions": 9},
        "lines": [[0, 2, {"global_loads": 1, "instructions": 4}], [0, 3, {"instructions": 5}]],
        "promotions": [{"function": 0, "line": 2}, {"function": 0, "line": 3}],
        "narrowings": [{"function": 0, "line": 3}],
    }  # fmt: skip
    second = {
        "candidate": 0, "resources": {"registers": 24, "stack_bytes": 0}, "instructions": {},
        "lines": [[0, 2, {"global_loads": 1, "instructions": 6}]],
        "promotions": [{"function": 0, "line": 2}],
        "narrowings": [{"function": 0, "line": 3}],
    }  # fmt: skip
    assert agreed(first, second) == {
        "candidate": 1, "resources": {"stack_bytes": 0}, "instructions": {},
        "differing": ["instructions", "registers"],
        "lines": [[0, 2, {"global_loads": 1}], [0, 3, {}]],
        "promotions": [{"function": 0, "line": 2}],
        "narrowings": [{"function": 0, "line": 3}],
    }  # fmt: skip
    third = {**first, "resources": {"registers": 20, "stack_bytes": 8}}
    assert agreed(agreed(first, second), third)["differing"] == ["instructions", "registers", "stack_bytes"]
    assert agreed({"problem": {}}, second) == {"problem": {}}
