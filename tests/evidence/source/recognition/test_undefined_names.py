"""Names in kernels that nothing defines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from surveying import records, survey_text, value

KERNEL = """
@cuda.jit
def k(x_array, out, count):
    i = cuda.grid(1)
    length = count
    if i < length:
        out[i] = {value}
"""


def _names(folder: Path, text: str) -> list[tuple[object, object]]:
    return [(value(one, "name"), value(one, "likely")) for one in records(folder, "name", text)]


@pytest.mark.parametrize(
    ("expression", "name", "likely"),
    [
        ("x[i]", "x", "x_array"),
        ("x.shape[0]", "x", "x_array"),
        ("cuont", "cuont", "count"),
        ("scaled(x_array[i])", "scaled", None),
        ("lenght", "lenght", "length"),
        ("HEIGTH", "HEIGTH", None),
    ],
)
def test_a_name_that_nothing_binds(tmp_path: Path, expression: str, name: str, likely: str | None) -> None:
    text = "HEIGHT = 3\n" + KERNEL.format(value=expression)
    assert _names(tmp_path, text) == [(name, likely)]


def test_a_name_of_a_function_that_the_kernel_calls(tmp_path: Path) -> None:
    text = "@cuda.jit(device=True)\ndef scaled(v):\n    return v * factor\n" + KERNEL.format(
        value="scaled(x_array[i])"
    )
    (found,) = records(tmp_path, "name", text)
    assert (value(found, "name"), found.span.line) == ("factor", 6)


@pytest.mark.parametrize(
    "before",
    [
        "x = 3\n",
        "import x\n",
        "from tables import limit as x\n",
        "for x in range(3):\n    pass\n",
        "if WIDE:\n    x = 3\nelse:\n    x = 4\n",
        "try:\n    x = 3\nexcept ImportError:\n    pass\n",
        "def x(v):\n    return v\n",
        "class x:\n    pass\n",
        "def start():\n    global x\n    x = 4\n",
        "with open('f') as x:\n    pass\n",
        "from tables import *\n",
        "exec('x = 3')\n",
        "globals()['x'] = 3\n",
        "(x := 3)\n",
    ],
)
def test_what_may_bind_a_name(tmp_path: Path, before: str) -> None:
    assert _names(tmp_path, before + KERNEL.format(value="x")) == []


@pytest.mark.parametrize(
    ("around", "value", "said"),
    [
        ("class C:\n    x = 3\n", "x", [("x", "x_array")]),
        ("class C:\n    x = 3\n", "C.x", []),
        ("def make(x):\n  class C:\n", "x", []),
        ("class C:\n    import x\n", "x", []),
    ],
)
def test_names_of_a_class_are_not_seen_in_its_kernels(
    tmp_path: Path, around: str, value: str, said: list[tuple[object, object]]
) -> None:
    kernel = KERNEL.replace("@cuda.jit", "@staticmethod\n@cuda.jit").format(value=value)
    assert _names(tmp_path, around + kernel.replace("\n", "\n    ")) == said


def test_a_name_of_another_function_is_not_seen(tmp_path: Path) -> None:
    assert _names(tmp_path, "def other():\n    x = 3\n    return x\n" + KERNEL.format(value="x")) == [
        ("x", "x_array")
    ]


def test_a_known_star_import_binds_its_own_names_only(tmp_path: Path) -> None:
    assert _names(tmp_path, "from math import *\n" + KERNEL.format(value="sqrt(x_array[i])")) == []
    assert _names(tmp_path, "from math import *\n" + KERNEL.format(value="x")) == [("x", "x_array")]


def test_names_around_a_kernel_and_below_it(tmp_path: Path) -> None:
    body = KERNEL.format(value="x + max(y, LATER)").replace("\n", "\n    ")
    text = f"def make(x):\n    y = 3\n{body}\n    return k\n\n\nLATER = 3\n"
    assert _names(tmp_path, text) == []


@pytest.mark.parametrize(("cell", "said"), [("%run tables.py\n", []), ("y = 3\n", ["x"]), ("x = 3\n", [])])
def test_cells_of_a_notebook_define_names_for_each_other(tmp_path: Path, cell: str, said: list[str]) -> None:
    cells = ["from numba import cuda\n" + KERNEL.format(value="x"), cell]
    book = {
        "cells": [{"cell_type": "code", "source": one, "metadata": {}, "outputs": []} for one in cells],
        "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    from advisor.evidence.source.analysis import analyse

    found = analyse([tmp_path / "book.ipynb"], tmp_path).records
    assert [value(one, "name") for one in found if one.entity == "name"] == said


def test_another_module_may_hold_the_function(tmp_path: Path) -> None:
    found = survey_text(
        tmp_path,
        tables="@cuda.jit(device=True)\ndef scaled(v):\n    return v * factor\n",
        program="from tables import scaled\n" + KERNEL.format(value="scaled(x_array[i])"),
    )
    assert [(one.path, value(one, "name")) for one in found.records if one.entity == "name"] == [
        ("tables.py", "factor")
    ]


@pytest.mark.parametrize(("head", "said"), [("with raises(NameError):", []), ("if True:", ["x"])])
def test_a_program_that_expects_an_error_may_want_one(tmp_path: Path, head: str, said: list[str]) -> None:
    kernel = KERNEL.format(value="x").replace("\n", "\n    ")
    text = f"def check(a):\n{kernel}\n    {head}\n        k[1, 32](a, a, 3)\n"
    assert [name for name, _ in _names(tmp_path, text)] == said
