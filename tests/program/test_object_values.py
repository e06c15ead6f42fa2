"""What attributes of classes and objects, and parameters that calls or defaults give, are known to be."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from advisor.model.text.source_text import SourceText
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module
from advisor.program.values.constant_folding import UNKNOWN
from advisor.program.values.constants import Constants

IMPORTS = """
import functools, os
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from types import SimpleNamespace
from typing import NamedTuple
"""


def sizes_of(text: str, *, called_here: bool = False, plain_start: bool = False) -> object:
    """The value of what the program hands to `seen(…)`."""
    module = parse_module(SourceText("own.py", IMPORTS + text))
    (call,) = [one for one in module.inside(module.tree, ast.Call) if ast.unparse(one.func) == "seen"]
    constants = Constants(
        Workspace(Path()), module, module.function_around(call),
        plain_start=plain_start, called_here=called_here,
    )  # fmt: skip
    return constants.value(call.args[0])


KNOWN = {
    "a class variable": "class C:\n    T = 8\n    B = (T, 2)\nseen(C.B)",
    "one of a base": "class A:\n    B = 8, 2\nclass C(A): pass\nseen(C.B)",
    "one of an object": "class C:\n    B = 8, 2\n    def f(self):\n        seen(self.B)",
    "one that its methods read by class": (
        "class C:\n    B = 8, 2\n    @classmethod\n    def f(cls):\n        seen(cls.B)"
    ),
    "a property": (
        "class C:\n    @property\n    def b(self):\n        return 8, 2\n    def f(self):\n"
        "        seen(self.b)"
    ),
    "members that are numbers": "class T(IntEnum):\n    X = 8\n    Y = 2\nseen((T.X, T.Y))",
    "a dataclass": "@dataclass\nclass S:\n    b: tuple = (8, 2)\nseen(S().b)",
    "its field": "@dataclass(frozen=True)\nclass S:\n    b: tuple = field(default=(8, 2))\nseen(S().b)",
    "an argument of it": "@dataclass\nclass S:\n    x: int\n    y: int = 4\ns = S(8, y=2)\nseen((s.x, s.y))",
    "a typed tuple": "class S(NamedTuple):\n    x: int\n    y: int = 2\ns = S(8)\nseen((s.x, s.y))",
    "a named tuple": "S = namedtuple('S', 'x, y')\ns = S(8, 2)\nseen((s.x, s.y))",
    "one with a list of names": "S = namedtuple('S', ['x', 'y'])\ns = S(y=2, x=8)\nseen((s.x, s.y))",
    "a namespace": "s = SimpleNamespace(b=(8, 2))\nseen(s.b)",
    "what __init__ stores": (
        "class C:\n    def __init__(self, x, y=2):\n        self.b = x, y\nc = C(8)\nseen(c.b)"
    ),
    "a dictionary's get": "d = {'b': (8, 2)}\nseen(d.get('b'))",
    "what get gives for want of it": "d = {'x': 1}\nseen(d.get('b', (8, 2)))",
    "dict with names": "d = dict(b=(8, 2))\nseen(d['b'])",
    "a static method": "class C:\n    @staticmethod\n    def b(x):\n        return x, 2\nseen(C.b(8))",
    "a method": (
        "class C:\n    def b(self, x):\n        return x, 2\n    def f(self):\n"
        "        seen(self.b(8))"
    ),
    "a function whose results are kept": "@functools.lru_cache(None)\ndef b(x):\n    return x, 2\nseen(b(8))",
    "a number that is changed": "x = 4\nx *= 2\nseen((x, 2))",
    "either": "b = None or (8, 2)\nseen(b)",
    "a test": "b = (8, 2)\nseen(b if b is not None else 3)",
}  # fmt: skip


@pytest.mark.parametrize("text", KNOWN.values(), ids=KNOWN)
def test_known(text: str) -> None:
    assert sizes_of(text) == (8, 2)


OPEN = {
    "stored to from outside": "class C:\n    B = 8, 2\nC.B = 4, 4\nseen(C.B)",
    "another class has it too": (
        "class C:\n    B = 8, 2\n    def f(self):\n        seen(self.B)\nclass D(C):\n"
        "    B = 4, 4"
    ),
    "bound twice": "class C:\n    B = 8, 2\n    if os.name == 'nt':\n        B = 4, 4\nseen(C.B)",
    "a list, which may change": "class C:\n    B = [8, 2]\nseen(C.B)",
    "members that are objects": "class T(Enum):\n    B = (8, 2)\nseen(T.B)",
    "a field that is stored to": (
        "@dataclass\nclass S:\n    b: tuple = (8, 2)\ns = S()\ns.b = 4, 4\nseen(s.b)"
    ),
    "a factory": "@dataclass\nclass S:\n    b: tuple = field(default_factory=lambda: (8, 2))\nseen(S().b)",
    "fields of a base": (
        "@dataclass\nclass A:\n    x: int = 1\n@dataclass\nclass S(A):\n    b: tuple = (8, 2)\n"
        "seen(S((4, 4)).b)"
    ),
    "stored by two methods": (
        "class C:\n    def __init__(self):\n        self.b = 8, 2\n    def g(self):\n"
        "        self.b = 4, 4\nc = C()\nseen(c.b)"
    ),
    "a method that another class has": (
        "class C:\n    def b(self):\n        return 8, 2\n    def f(self):\n"
        "        seen(self.b())\nclass D(C):\n    def b(self):\n        return 4, 4"
    ),
    "a parameter": "def f(b):\n    seen(b)\nf((8, 2))",
    "a default": "def f(b=(8, 2)):\n    seen(b)",
    "changed in a branch": "x = 8\nif os.name == 'nt':\n    x += 1\nseen((x, 2))",
    "changed in a loop": "x = 8\nfor _ in range(3):\n    x += 1\nseen((x, 2))",
    "the environment": "seen((int(os.environ.get('X', 8)), 2))",
    "one of two that is not known": "def f(b):\n    seen(b or (8, 2))",
}  # fmt: skip


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_open(text: str) -> None:
    found = sizes_of(text)
    assert found is UNKNOWN or UNKNOWN in found


CALLED = {
    "what the only call gives": "def f(b):\n    seen(b)\nf((8, 2))",
    "what no call gives": "def f(a, b=(8, 2)):\n    seen(b)\nf(1)",
    "None, and what stands for it": (
        "def f(a, b=None):\n    if b is None:\n        b = 8, 2\n    seen(b)\nf(1)"
    ),
    "nothing, and what stands for it": "def f(a, b=None):\n    b = b or (8, 2)\n    seen(b)\nf(1)",
    "what stands for None, where there is another": (
        "def f(a, b=None):\n    if b is None:\n        b = 4\n    seen(b)\nf(1, (8, 2))"
    ),
    "an object made here": (
        "class C:\n    def __init__(self, x):\n        self.x = x\n    def f(self):\n"
        "        seen((self.x, 2))\nC(8).f()"
    ),
    "an object by default": (
        "@dataclass\nclass S:\n    b: tuple = (8, 2)\nD = S()\ndef f(a, s=D):\n    seen(s.b)\n"
        "f(1)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", CALLED.values(), ids=CALLED)
def test_what_the_calls_in_the_module_give(text: str) -> None:
    assert sizes_of(text, called_here=True) == (8, 2)


@pytest.mark.parametrize(
    "text",
    [
        "def f(b):\n    seen(b)\nf((8, 2))\nf((4, 4))",
        "def f(b=(8, 2)):\n    seen(b)",
        "def f(a, b=None):\n    if a:\n        b = 8, 2\n    seen(b)\nf(1)",
        "def f(a, b=None):\n    if b is None:\n        b = 8, 2\n    seen(b)\nf(1, os.name)",
    ],
)
def test_calls_that_do_not_tell(text: str) -> None:
    assert sizes_of(text, called_here=True) is UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "def f(b=(8, 2)):\n    seen(b)",
        "def f(*, b=None):\n    b = b or (8, 2)\n    seen(b)",
        "def f(b=(8, 2)):\n    seen(b)\nf(os.name)",
        (
            "class C:\n    def __init__(self, b=(8, 2)):\n        self.b = b\n    def f(self):\n"
            "        seen(self.b)"
        ),
        "seen((int(os.environ.get('X', '8')), 2))",
    ],
)
def test_what_holds_where_nobody_asks_for_anything_else(text: str) -> None:
    assert sizes_of(text, plain_start=True) == (8, 2)
