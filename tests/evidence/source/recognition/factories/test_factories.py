"""Closure variables of kernels: what the calls of the factory around them give its parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from units import unit_of

from advisor.model.compilation_unit import UndefinedName

KERNEL = """
from numba import cuda, float32, float64, njit
SIZE = 16
def make(n, scale=2.0):
    half = n // 2
    @cuda.jit
    def kernel(a):
        for i in range(half):
            a[i] = n * scale
    return kernel
"""


@pytest.mark.parametrize(
    ("calls", "constants", "assumptions"),
    [
        ("k = make(8)", {"half": "4", "n": "8", "scale": "2.0"},
         {"`n` is taken to be 8, as the call of `make` in line 10 gives it.",
          "scale of make is taken to have its default value 2.0."}),
        ("k = make(scale=0.5, n=SIZE)", {"half": "8", "n": "16", "scale": "0.5"},
         {"`n` is taken to be 16, as the call of `make` in line 10 gives it.",
          "`scale` is taken to be 0.5, as the call of `make` in line 10 gives it."}),
        ("a = make(4)\nb = make(6)\nc = make(6)", {"half": "3", "n": "6", "scale": "2.0"},
         {"`n` is taken to be 6, as the call of `make` in line 11 gives it; other calls give 4.",
          "scale of make is taken to have its default value 2.0.",
          "What is otherwise with `half` = 2, `n` = 4 is left out."}),
        ("a = make(input())\nb = make(6, 1.0)", {"half": "3", "n": "6", "scale": "1.0"},
         {"`n` is taken to be 6, as the call of `make` in line 11 gives it.",
          "`scale` is taken to be 1.0, as the call of `make` in line 11 gives it; other calls give 2.0.",
          "What is otherwise with `half` = 2, `n` = 5 is left out."}),
        ("def outer(m):\n    return make(m + 1)\nk = outer(7)", {"half": "4", "n": "8", "scale": "2.0"},
         {"`m` is taken to be 7, as the call of `outer` in line 12 gives it.",
          "`n` is taken to be 8, as the call of `make` in line 11 gives it.",
          "scale of make is taken to have its default value 2.0."}),
    ],
)  # fmt: skip
def test_the_calls_of_a_factory_give_its_parameters(
    tmp_path: Path, calls: str, constants: dict[str, str], assumptions: set[str]
) -> None:
    unit = unit_of(tmp_path, program=KERNEL + calls + "\n")
    assert (unit.missing, unit.constants) == ((), constants)
    assert set(unit.assumptions) == assumptions


@pytest.mark.parametrize(
    "calls",
    ["", "k = make(input())", "k = make(*sizes)", "k = make(**sizes)",
     "def other(make):\n    return make(3)",
     "def make_two():\n    def make(n):\n        return n\n    make(3)"],
)  # fmt: skip
def test_what_no_call_gives_is_a_guess_by_its_use(tmp_path: Path, calls: str) -> None:
    reason = "a parameter of make, which no call gives a known value"
    unit = unit_of(tmp_path, program=KERNEL + calls + "\n")
    assert unit.constants == {"half": "8", "n": "16", "scale": "2.0"}
    assert [(one.name, one.value, one.other) for one in unit.placeholders] == [
        ("half", "8", "40"), ("n", "16", "80"),
    ]  # fmt: skip
    assert any(f"`n` ({reason}) is taken to be 16" in one for one in unit.assumptions)
    assert any("`half` is taken to be 8, as it is computed of `n`;" in one for one in unit.assumptions)


def test_what_no_call_gives_stays_unknown_where_its_use_does_not_show_what_it_is(tmp_path: Path) -> None:
    program = KERNEL.replace("n * scale", "n[i] * scale")
    assert unit_of(tmp_path, program=program).missing == (
        "half in line 7 (a parameter of make, which no call gives a known value)",
        "n in line 8 (a parameter of make, which no call gives a known value)",
    )


def test_types_and_device_functions_may_be_given(tmp_path: Path) -> None:
    program = (
        "from numba import cuda, float32\n"
        "@cuda.jit(device=True)\ndef twice(x):\n    return 2 * x\n"
        "def make(of, dtype):\n    @cuda.jit\n    def kernel(a):\n"
        "        s = cuda.shared.array(4, dtype)\n        s[0] = of(a[0])\n        a[1] = s[0]\n"
        "    return kernel\n"
        "k = make(twice, float32)\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert (unit.missing, unit.aliases["dtype"]) == ((), "numba.float32")
    assert [function.name for function in unit.functions] == ["twice", "kernel"]


@pytest.mark.parametrize("made", ["Model(7)", "package.Model(width=7)"])
def test_a_method_that_makes_a_kernel_is_called_by_its_class(tmp_path: Path, made: str) -> None:
    program = (
        "from numba import cuda\nclass Model:\n    def __init__(self, width):\n        @cuda.jit\n"
        f"        def kernel(a):\n            a[0] = width\n        self.kernel = kernel\nm = {made}\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert unit.constants == {"width": "7"}
    assert unit.assumptions == ("`width` is taken to be 7, as the call of `Model` in line 8 gives it.",)


def test_names_of_builtins_mean_the_same_when_they_are_imported(tmp_path: Path) -> None:
    program = (
        "from builtins import range\nfrom six.moves import zip, map\nfrom numba import cuda\n"
        "@cuda.jit\ndef kernel(a):\n    for i in range(3):\n        a[i] = abs(i)\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert (unit.missing, unit.constants) == ((), {})


UNDEFINED = "from numba import cuda\n{}@cuda.jit\ndef kernel(a):\n    a[0] = X[0]\n"


def test_a_name_that_nothing_defines_is_known_to_be_undefined(tmp_path: Path) -> None:
    for others in ("", "from math import *\n", "import numpy as np\nY = 1\n"):
        program = UNDEFINED.format(others)
        line = len(program.splitlines())
        assert unit_of(tmp_path, program=program).undefined == (UndefinedName("X", "program.py", line),)


@pytest.mark.parametrize(
    "others",
    ["from elsewhere import *\n", "globals()['X'] = 3\n", "def f():\n    global X\n    X = input()\n",
     "from elsewhere import X\n", "for X in input():\n    pass\n", "with open('x') as X:\n    pass\n",
     "exec('X = 3')\n", "import a.X as X\n", "X = input()\n", "class X:\n    pass\n", "del X\n"],
)  # fmt: skip
def test_a_name_that_something_may_define_is_not_called_undefined(tmp_path: Path, others: str) -> None:
    unit = unit_of(tmp_path, program=UNDEFINED.format(others))
    assert unit.undefined == ()
    assert len(unit.missing) == 1
