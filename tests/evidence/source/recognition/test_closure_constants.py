"""Constants of self-contained kernels: their values with exact types, and what is none and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from units import unit_of

CONSTANTS = """
import math
import numpy as np
import numba as nb
from numba import cuda, float32, types
from math import *
A = 1 << 5
B = math.pi / 2
C = np.float32(0.5)
D = int(512 ** 0.5)
E = (A, 3)
F = np.array([[1, 2], [3, 4]], dtype=np.float32)
G = float("inf")
H = -1.5
I = True
J = "add"
K = np.zeros(2, dtype=np.int64)
L = {"width": 8}["width"]
M = None
N = 3 + 4j
T = float32
U = nb.int32
V = types.uint8
W = np.float64
X = np.dtype("float32")
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("A", "32"),
        ("B", "1.5707963267948966"),
        ("C", "np.float32(0.5)"),
        ("D", "22"),
        ("E", "(32, 3)"),
        ("F", "np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)"),
        ("G", "math.inf"),
        ("H", "-1.5"),
        ("I", "True"),
        ("J", "'add'"),
        ("K", "np.array([0, 0], dtype=np.int64)"),
        ("L", "8"),
        ("M", "None"),
        ("N", "(3+4j)"),
    ],
)
def test_constants_become_literals_with_their_types(tmp_path: Path, name: str, text: str) -> None:
    unit = unit_of(tmp_path, program=f"{CONSTANTS}\n@cuda.jit\ndef kernel(a):\n    a[0] = {name}\n")
    assert unit.constants == {name: text}
    assert unit.missing == ()


@pytest.mark.parametrize(
    ("name", "dotted"),
    [
        ("T", "numba.float32"),
        ("U", "numba.int32"),
        ("V", "numba.types.uint8"),
        ("W", "numpy.float64"),
        ("X", "numpy.float32"),
        ("sqrt", "math.sqrt"),
    ],
)
def test_types_and_star_imports_become_aliases(tmp_path: Path, name: str, dotted: str) -> None:
    unit = unit_of(tmp_path, program=f"{CONSTANTS}\n@cuda.jit\ndef kernel(a):\n    a[0] = {name}(2)\n")
    assert unit.aliases == {name: dotted}
    assert unit.missing == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X = open('x').read()", "the result of a call"),
        ("X = open('x').read()\nX = lambda: 3", "bound to several values, none of them known"),
        ("X = None\ndef change():\n    global X\n    X = input()",
         "changed at run time, and no first value is known"),
        ("import torch\nX = torch.zeros(3)", "the result of a call"),
        ("from elsewhere import X", "imported from elsewhere, where it was not found"),
        ("", "not defined in its module"),
        ("def X(v):\n    return v", "a plain Python function, which a kernel cannot call"),
    ],
)  # fmt: skip
def test_what_is_no_constant_is_missing_with_its_place_and_reason(
    tmp_path: Path, text: str, reason: str
) -> None:
    program = f"from numba import cuda\n{text}\n@cuda.jit\ndef kernel(a):\n    a[0] = X[0]\n"
    line = len(program.splitlines())
    assert unit_of(tmp_path, program=program).missing == (f"X in line {line} ({reason})",)


@pytest.mark.parametrize(
    ("text", "value", "assumption", "others"),
    [
        ("X = 1\nX = 2", "1", "its value in line 2; it has others too", ["2"]),
        ("X = None\nX = input()\nX = 3", "3", "its value in line 4; it has others too", ["4"]),
        ("if input():\n    X = 4\nelse:\n    X = 5", "4", "its value in line 3; it has others too", ["5"]),
        ("X = 1\nX += 1", "1", "its value in line 2; it changes at run time", ["2"]),
        ("X = 1\ndef change(n):\n    global X\n    X = n", "1",
         "its value in line 2; it changes at run time", ["2"]),
        ("X = None\ndef change():\n    global X\n    X = 8", "8",
         "its value in line 5; it changes at run time", ["6"]),
        ("def change():\n    global X\n    X = 9", "9", "its value in line 4; it changes at run time", ["7"]),
        ("X = 2.0\ndef change(n):\n    global X\n    X = n", "2.0",
         "its value in line 2; it changes at run time", ["1.6"]),
        ("X = False\ndef change(n):\n    global X\n    X = n", "False",
         "its value in line 2; it changes at run time", ["True"]),
        ("X = 'abc'\ndef change(n):\n    global X\n    X = n", "'abc'",
         "its value in line 2; it changes at run time", []),
        ("X = 1\nX = 2\nX = 1\nX = 3", "1", "its value in line 2; it has others too", ["2", "3"]),
        ("X = 16 if input() else 32", "16", "its value in line 2; it has others too", ["32"]),
        ("import sys\nX = int(sys.argv[1]) if len(sys.argv) > 1 else 64", "64",
         "its value in line 3; it has others too", ["48"]),
        ("X = 1 if input() else 2 if input() else 3", "1", "its value in line 2; it has others too",
         ["2", "3"]),
        # Four values of a name are tried, and no more.
        ("X = 1\nX = 2\nX = 3\nX = 4\nX = 5", "1", "its value in line 2; it has others too",
         ["2", "3", "4"]),
    ],
)  # fmt: skip
def test_a_name_with_several_values_has_its_first_known_one_and_others_beside_it(
    tmp_path: Path, text: str, value: str, assumption: str, others: list[str]
) -> None:
    program = f"from numba import cuda\n{text}\n@cuda.jit\ndef kernel(a):\n    a[0] = X\n"
    unit = unit_of(tmp_path, program=program)
    assert (unit.missing, unit.constants) == ((), {"X": value})
    assert [one.constants for one in unit.others] == [{"X": other} for other in others]
    said = [f"What is otherwise with `X` = {other} is left out." for other in others]
    assert unit.assumptions == (f"`X` is taken to be {value}, {assumption}.", *said)
    assert set(unit.assumptions) <= set(unit.candidates[0].assumptions)


@pytest.mark.parametrize("text", ["X = 4 if 1 < 2 else 5", "WIDE = False\nX = 5 if WIDE else 4"])
def test_a_condition_that_is_known_leaves_one_value(tmp_path: Path, text: str) -> None:
    program = f"from numba import cuda\n{text}\n@cuda.jit\ndef kernel(a):\n    a[0] = X\n"
    unit = unit_of(tmp_path, program=program)
    assert (unit.constants, unit.assumptions, unit.others) == ({"X": "4"}, (), ())


COPIED = """
from numba import cuda
def setup({parameter}):
    {bound}
    globals(){copy}
@cuda.jit
def kernel(a):
    a[0] = X[0] if a[1] else X[1]
"""


@pytest.mark.parametrize(
    ("bound", "copy", "parameter", "missing"),
    [
        ("X = (1, 2)", ".update(locals())", "", False),
        ("X = (1, 2)", ".update(vars(setup))", "", True),
        ("Y = (1, 2)", ".update(locals())", "", True),
        ("Y = (1, 2)", ".update(locals())", "X", True),
    ],
)
def test_a_function_may_copy_its_variables_into_the_module(
    tmp_path: Path, bound: str, copy: str, parameter: str, missing: bool
) -> None:
    unit = unit_of(tmp_path, program=COPIED.format(bound=bound, copy=copy, parameter=parameter))
    assert unit.constants == ({} if missing else {"X": "(1, 2)"})
    assert bool(unit.missing) == missing


def test_values_that_a_kernel_does_not_read_give_no_others(tmp_path: Path) -> None:
    program = "from numba import cuda\nX = 1\nX = 2\nY = 3\n@cuda.jit\ndef kernel(a):\n    a[0] = Y\n"
    unit = unit_of(tmp_path, program=program)
    assert (unit.others, unit.assumptions) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "10 ** 10 ** 10",
        "((10 ** 200) ** 200) ** 200",
        "1 << 10 ** 12",
        "10 ** 12 * 'x'",
        "(0,) * 10 ** 12",
        "math.factorial(10 ** 9)",
        "np.zeros((1 << 20, 1 << 20))",
        "np.zeros([1 << 20, 1 << 20])",
        "np.arange(0, 1, 1e-12)",
        "np.linspace(0, 1, 10 ** 12)",
        "np.ones((1 << 15, 1)) * np.ones((1, 1 << 15))",
        "np.hypot(np.ones((1 << 15, 1)), np.ones((1, 1 << 15)))",
    ],
)
def test_an_expression_of_boundless_size_is_no_constant(tmp_path: Path, text: str) -> None:
    program = f"""
    import math
    import numpy as np
    from numba import cuda
    X = {text}
    @cuda.jit
    def kernel(a):
        a[0] = X[0]
    """
    unit = unit_of(tmp_path, program=program)
    assert unit.constants == {}
    assert len(unit.missing) == 1


def test_a_global_that_is_only_read_stays_a_constant(tmp_path: Path) -> None:
    text = "X = 7\ndef read():\n    global X\n    return X\n"
    program = f"from numba import cuda\n{text}Y = read()\n@cuda.jit\ndef kernel(a):\n    a[0] = Y\n"
    assert unit_of(tmp_path, program=program).constants == {"Y": "7"}


def test_closure_variables_are_constants_where_they_are_fixed(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        program="""
        from numba import cuda

        def make(width, radius=2, step=0.25):
            taps = 2 * radius + 1

            @cuda.jit(device=True)
            def weight(k):
                return k * step

            @cuda.jit
            def kernel(a):
                for k in range(taps):
                    a[k] = weight(k) + width
            return kernel
        """,
    )
    assert unit.missing == ()
    assert [one.name for one in unit.placeholders] == ["width"]
    assert unit.constants == {"taps": "5", "step": "0.25", "width": "1.3"}
    assert "radius of make is taken to have its default value 2." in unit.candidates[0].assumptions
    assert "step of make is taken to have its default value 0.25." in unit.candidates[0].assumptions


@pytest.mark.parametrize(
    ("loop", "constants", "missing"),
    [
        ("for n in (1, 3):", {"n": "1"}, ()),
        ("for n, m in ((1, 2), (3, 4)):", {"n": "1"}, ()),
        ("for n, m in ((1, 2, 3), (3, 4, 5)):", {}, ("n in line 6 (bound several times in make)",)),
        ("for n in range(2):", {}, ("n in line 6 (bound several times in make)",)),
        ("n = 0\n    for n in (1, 2):", {}, ("n in line 7 (bound several times in make)",)),
    ],
)
def test_a_closure_name_that_a_loop_binds_has_the_first_value_that_is_written(
    tmp_path: Path, loop: str, constants: dict[str, str], missing: tuple[str, ...]
) -> None:
    program = (
        f"from numba import cuda\ndef make():\n    {loop}\n"
        "        @cuda.jit\n        def kernel(a):\n            a[0] = n[0]\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert (unit.constants, unit.missing) == (constants, missing)
    said = (
        "`n` is taken to be 1, its first value in line 3.", "What is otherwise with `n` = 3 is left out.",
    )  # fmt: skip
    assert unit.assumptions == (said if constants else ())
    assert [one.constants for one in unit.others] == ([{"n": "3"}] if constants else [])


@pytest.mark.parametrize(
    ("head", "inside", "constants"),
    [
        ("SIZES = (8, 9)", "pass", {"n": "8"}),
        ("", "SIZES = [8, 9]", {"n": "8"}),
        ("SIZES = input()", "pass", {}),
        ("SIZES = (8, 9)\nSIZES = (5,)", "pass", {}),
        ("SIZES = (8, 9)", "SIZES = input()", {}),
        ("SIZES = ()", "pass", {}),
    ],
)
def test_a_loop_may_run_over_values_that_have_a_name(
    tmp_path: Path, head: str, inside: str, constants: dict[str, str]
) -> None:
    program = (
        f"from numba import cuda\n{head}\ndef make():\n    {inside}\n    for n in SIZES:\n"
        "        @cuda.jit\n        def kernel(a):\n            a[0] = n[0]\n"
    )
    assert unit_of(tmp_path, program=program).constants == constants
