"""What functions made universal by `vectorize` and `guvectorize` give host code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from advisor.model.text.source_text import SourceText
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import UNKNOWN, Array, Number, Value
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

HEAD = "import numpy as np\nfrom numba import vectorize, guvectorize, cuda, float32, float64, int8\n"


def value_of(decorator: str, body: str) -> Value:
    text = f"{HEAD}\n@{decorator}\ndef f(a, b):\n    return a\n\ndef run(p):\n"
    text += "".join(f"    {line}\n" for line in [*body.splitlines(), "seen(c)"])
    module = parse_module(SourceText("program.py", text))
    values = HostValues(Workspace(Path()))
    call = next(one for one in module.calls if ast.unparse(one.func) == "seen")
    function = module.top_level["run"]
    assert isinstance(function, ast.FunctionDef)
    return values.of(call.args[0], values.frame(module, function))


FLOATS = "np.zeros((3, 4), np.float32)"
DOUBLES = "np.zeros((3, 4))"
ON_GPU = "cuda.to_device(np.zeros(5, np.float32))"


@pytest.mark.parametrize(
    ("decorator", "body", "dtype", "dims"),
    [
        ("vectorize(['int8(float32, float32)'], target='cuda')", f"c = f({FLOATS}, {FLOATS})", "int8", 2),
        ("vectorize([int8(float32, float32)])", f"c = f({FLOATS}, 2)", "int8", 2),
        ("vectorize(['i1(f4, f4)', 'i1(f8, f8)'])", f"c = f({DOUBLES}, p)", "int8", None),
        (
            "vectorize(['float32(float32, float32)', 'float64(float64, float64)'])",
            f"c = f({DOUBLES}, {DOUBLES})",
            "float64",
            2,
        ),
        # Which of the two is taken hangs on a type that is not known, or on none that is stated.
        ("vectorize(['float32(float32, float32)', 'float64(float64, float64)'])", "c = f(p, p)", None, None),
        ("vectorize", f"c = f({FLOATS}, {FLOATS})", None, 2),
        ("vectorize(p)", f"c = f({FLOATS}, {FLOATS})", None, 2),
        ("guvectorize(['void(f4[:], f4[:], f8[:])'], '(n),(n)->()')", f"c = f({FLOATS}, p)", "float64", None),
        ("guvectorize(['void(f4[:], f8[:])'], '(n)->()')", f"c = f({FLOATS})", "float64", 1),
        ("guvectorize([(float32[:], float64[:])], '(n)->(n)')", f"c = f({FLOATS})", "float64", 2),
        ("guvectorize([(float32[:], int8[:])], '(n)->(n)')", f"c = f({FLOATS}, {DOUBLES})", "float64", 2),
        ("vectorize(['f8(f4, f4)'])", f"c = f({FLOATS}, {FLOATS}, out=np.zeros(3, np.int8))", "int8", 1),
    ],
)  # fmt: skip
def test_the_type_of_a_result(decorator: str, body: str, dtype: str | None, dims: int | None) -> None:
    found = value_of(decorator, body)
    assert isinstance(found, Array)
    assert (found.dtype, found.dims) == (dtype, dims)


def test_where_a_result_lies() -> None:
    on_gpu = value_of("vectorize(['int8(float32, float32)'], target='cuda')", f"c = f({ON_GPU}, {ON_GPU})")
    on_host = value_of("vectorize(['int8(float32, float32)'], target='cuda')", f"c = f({FLOATS}, 1)")
    assert isinstance(on_gpu, Array)
    assert isinstance(on_host, Array)
    assert (on_gpu.copied_by_launch, on_host.copied_by_launch) == (False, True)


def test_numbers_make_numbers() -> None:
    assert value_of("vectorize(['float32(float32, float32)'])", "c = f(1, 2)") == Number(
        "float32", python=False
    )


@pytest.mark.parametrize(
    "decorator",
    [
        "other(['int8(float32, float32)'])",
        "vectorize(['int8(float32)'])\n@other",
        "guvectorize(['void(f4)'], p)",
        "guvectorize(['void(f4[:], f4[:], f4[:])'], '(n)->(n),(n)')",
    ],
)
def test_functions_that_others_make(decorator: str) -> None:
    assert value_of(decorator, f"c = f({FLOATS}, {FLOATS})") == UNKNOWN
