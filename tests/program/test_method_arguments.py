"""What the calls of a class and of its methods give for their parameters."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from advisor.model.text.source_text import SourceText
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import UNKNOWN, Array
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

IMAGE = "np.zeros((3, 4), np.uint8)"


def type_seen(text: str) -> str | None:
    """The type of the elements of what `seen` gets, None for a value that is not known."""
    module = parse_module(SourceText("program.py", "import numpy as np\n" + text))
    values = HostValues(Workspace(Path()))
    call = next(one for one in module.calls if ast.unparse(one.func) == "seen")
    found = values.of(call.args[0], values.frame(module, module.function_around(call)))
    assert found == UNKNOWN or isinstance(found, Array)
    return found.dtype if isinstance(found, Array) else None


CLASS = """
class A:
    def __init__(self, a, b=None):
        self.a = a
    def run(self, c, *, d=1):
        seen({})
"""


@pytest.mark.parametrize(
    ("asked", "calls", "dtype"),
    [
        ("self.a", f"A({IMAGE})", "uint8"),
        ("self.a", f"A(a={IMAGE})", "uint8"),
        ("self.a", f"A({IMAGE})\nA(np.ones((2, 2), np.uint8))", "uint8"),
        ("self.a", f"A({IMAGE})\nA(np.ones((2, 2)))", None),
        ("self.a", f"A({IMAGE})\nA(*others)", None),
        ("self.a", f"A({IMAGE})\nA(unknown)", None),
        ("self.a", "", None),
        ("c", f"x = A(1)\nx.run({IMAGE})", "uint8"),
        ("c", f"x = A(1)\nx.run({IMAGE})\nx.run(c=unknown)", None),
        ("c", f"np.run({IMAGE})", None),
        ("c", f"class B:\n    def run(self, c):\n        pass\nx.run({IMAGE})", None),
        ("d", f"x = A(1)\nx.run(1, d={IMAGE})", "uint8"),
        ("d", f"x = A(1)\nx.run(1, d={IMAGE})\nx.run(1)", None),
    ],
)
def test_the_type_that_all_calls_give(asked: str, calls: str, dtype: str | None) -> None:
    assert type_seen(CLASS.format(asked) + calls + "\n") == dtype


@pytest.mark.parametrize(
    ("decorator", "parameters", "dtype"),
    [
        ("@staticmethod", "c", "uint8"),
        ("@classmethod", "cls, c", "uint8"),
        ("@other", "self, c", None),
    ],
)
def test_methods_with_decorators(decorator: str, parameters: str, dtype: str | None) -> None:
    text = f"class A:\n    {decorator}\n    def run({parameters}):\n        seen(c)\nA.run({IMAGE})\n"
    assert type_seen(text) == dtype


def test_parameters_that_are_taken_by_name_alone() -> None:
    assert type_seen(f"def run(*, c):\n    seen(c)\nrun(c={IMAGE})\n") == "uint8"


OBJECTS = """
class A:
    def __init__(self, n):
        self.a = np.zeros((n, n), np.int16)
    def run(self):
        show(self)
    @staticmethod
    def still(one):
        show(one)

class B:
    def __init__(self, n):
        self.a = np.zeros((n, n), np.float64)
    def run(self):
        {}

def show(one):
    d = to_device(one.a)
    seen(one.a)
    one.a = d.copy_to_host()
"""


@pytest.mark.parametrize(
    ("of_b", "dtype"),
    [
        ("pass", "int16"),
        # Objects of two classes, and one of which nothing is known.
        ("show(self)", None),
        ("show(other)", None),
    ],
)
def test_a_function_that_methods_hand_their_object(of_b, dtype):
    text = OBJECTS.format(of_b).replace("    @staticmethod\n    def still(one):\n        show(one)\n", "")
    assert type_seen(text) == dtype


def test_the_first_parameter_of_a_static_method_is_no_object():
    assert type_seen(OBJECTS.format("pass")) is None
