"""Factories of kernels whose calls stand in other modules: what these give the parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from units import unit_of

FACTORY = """
from numba import cuda
def make(n, scale=2.0):
    half = n // 2
    @cuda.jit
    def kernel(a):
        for i in range(half):
            a[i] = n * scale
    return kernel
"""


@pytest.mark.parametrize(
    "text",
    ["from program import make\nk = make(32)\n",
     "import program\nk = program.make(32)\n",
     "import program as p\nclass Solver:\n    def __init__(self):\n        self.kernel = p.make(n=32)\n",
     "from program import *\nSIZE = 16\nk = make(SIZE * 2)\n",
     "from program import make\ndef build(width):\n    return make(width)\nk = build(32)\n"],
)  # fmt: skip
def test_a_call_in_another_module_gives_a_parameter(tmp_path: Path, text: str) -> None:
    unit = unit_of(tmp_path, program=FACTORY, other=text)
    assert unit.constants == {"half": "16", "n": "32", "scale": "2.0"}
    assert (unit.missing, unit.placeholders, unit.others) == ((), (), ())
    assert any(
        one.startswith("`n` is taken to be 32, as the call of `make` in line")
        and "of other.py gives it." in one
        for one in unit.assumptions
    )


@pytest.mark.parametrize(
    "text",
    ["def make(n):\n    return n\nk = make(32)\n",
     "from elsewhere import make\nk = make(32)\n",
     "from program import make\nk = make(input())\n",
     "from program import make\nk = make(*sizes)\n",
     "def use(make):\n    return make(32)\n",
     "import other_program as program\nk = program.make(32)\n",
     "# make(32)\n"],
)  # fmt: skip
def test_what_another_module_does_not_give_is_a_guess(tmp_path: Path, text: str) -> None:
    unit = unit_of(tmp_path, program=FACTORY, other=text)
    assert [(one.name, one.value, one.other) for one in unit.placeholders] == [
        ("half", "8", "40"), ("n", "16", "80"),
    ]  # fmt: skip


def test_calls_of_all_modules_are_values_to_try(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        program=FACTORY + "small = make(8)\n",
        first="from program import make\nk = make(32)\n",
        second="from program import make\nk = make(32)\nl = make(64, 0.5)\n",
    )
    # 32 is what most calls give; the others follow in their order, the factory's own module first.
    assert unit.constants == {"half": "16", "n": "32", "scale": "2.0"}
    assert [one.constants for one in unit.others] == [
        {"half": "4", "n": "8", "scale": "2.0"},
        {"half": "32", "n": "64", "scale": "0.5"},
    ]
    assert unit.assumptions[-2:] == (
        "What is otherwise with `half` = 4, `n` = 8 is left out.",
        "What is otherwise with `half` = 32, `n` = 64, `scale` = 0.5 is left out.",
    )


def test_tests_speak_only_for_factories_that_nothing_else_calls(tmp_path: Path) -> None:
    test = "from program import make\nk = make(4)\n"
    alone = unit_of(tmp_path / "alone", program=FACTORY, tests_in_test_make=test)
    assert alone.constants["n"] == "4"
    used = unit_of(
        tmp_path / "used",
        program=FACTORY,
        tests_in_test_make=test,
        other="from program import make\nk = make(32)\n",
    )
    assert (used.constants["n"], used.others) == ("32", ())


def test_a_class_of_another_module_gives_what_its_kernel_reads(tmp_path: Path) -> None:
    program = (
        "from numba import cuda\nclass Model:\n    def __init__(self, width):\n        @cuda.jit\n"
        "        def kernel(a):\n            a[0] = width\n        self.kernel = kernel\n"
    )
    called = unit_of(tmp_path / "one", program=program, other="from program import Model\nm = Model(7)\n")
    assert called.constants == {"width": "7"}
    assert called.assumptions == (
        "`width` is taken to be 7, as the call of `Model` in line 2 of other.py gives it.",
    )
    namesake = unit_of(tmp_path / "two", program=program, other="class Model:\n    pass\nm = Model(7)\n")
    assert [one.name for one in namesake.placeholders] == ["width"]


def test_other_functions_given_are_tried_with_the_places_of_all_functions_kept(tmp_path: Path) -> None:
    program = (
        "from numba import cuda\n"
        "@cuda.jit(device=True)\ndef twice(x):\n    return 2 * x\n"
        "@cuda.jit(device=True)\ndef square(x):\n    return x * x\n"
        "def make(of):\n    @cuda.jit\n    def kernel(a):\n        a[0] = of(a[1])\n    return kernel\n"
    )
    unit = unit_of(
        tmp_path, program=program, other="import program as p\nk = p.make(p.twice)\nl = p.make(p.square)\n"
    )
    (other,) = unit.others
    assert [one.name for one in unit.functions] == ["twice", "kernel"]
    assert [one.name for one in other.functions] == ["twice", "kernel", "square"]
    assert "square(a[1])" in other.functions[1].source
    assert unit.assumptions[-1] == "What is otherwise with the function `square` is left out."


def test_other_types_given_are_tried(tmp_path: Path) -> None:
    program = (
        "from numba import cuda, float32, float64\n"
        "def make(dtype):\n    @cuda.jit\n    def kernel(a):\n        s = cuda.shared.array(4, dtype)\n"
        "        s[0] = a[0]\n        a[1] = s[0]\n    return kernel\n"
        "k = make(float32)\nl = make(float64)\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert unit.aliases["dtype"] == "numba.float32"
    assert [one.aliases["dtype"] for one in unit.others] == ["numba.float64"]


def test_a_value_with_which_nothing_can_be_compiled_is_not_tried(tmp_path: Path) -> None:
    program = (
        "from numba import cuda\nimport torch\n"
        "def make(of):\n    @cuda.jit\n    def kernel(a):\n        a[0] = of\n    return kernel\n"
        "k = make(3)\nl = make(torch.zeros(3))\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert (unit.missing, unit.constants) == ((), {"of": "3"})
    # What the second call gives is not known: another whole number stands for it.
    assert [one.constants for one in unit.others] == [{"of": "4"}]
