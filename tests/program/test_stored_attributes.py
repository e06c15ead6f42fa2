"""Which value an attribute of an object has where its method has stored one just before."""

from __future__ import annotations

import ast
import textwrap
import time

import pytest

from advisor.model.text.source_text import SourceText
from advisor.program.names.object_attributes import stored_before
from advisor.program.syntax.module import parse_module

STORED = {
    "the line before": "self.x = 1\nseen(self.x)",
    "the last of two": "self.x = 2\nself.x = 1\nseen(self.x)",
    "other attributes between": "self.x = 1\nself.y = 2\nseen(self.x)",
    "calls that have no object between": "self.x = 1\ny = work(n, self.y)\nseen(self.x)",
    "inside of a branch": "self.x = 1\nif n:\n    seen(self.x)",
    "within the same branch": "self.x = 2\nif n:\n    self.x = 1\n    seen(self.x)",
    "inside of a loop that does not store": "self.x = 1\nfor i in range(n):\n    seen(self.x)",
    "a part of a tuple": "self.y, self.x = 2, 1\nseen(self.x)",
    "in a try": "try:\n    self.x = 1\n    seen(self.x)\nexcept ValueError:\n    pass",
}
NOT_STORED = {
    "nothing before": "seen(self.x)\nself.x = 1",
    "in one branch only": "if n:\n    self.x = 1\nseen(self.x)",
    "another branch may store": "self.x = 1\nif n:\n    self.x = 2\nseen(self.x)",
    "an own method may store": "self.x = 1\nself.change()\nseen(self.x)",
    "who has the object may store": "self.x = 1\nchange(self)\nseen(self.x)",
    "added to": "self.x = 1\nself.x += 1\nseen(self.x)",
    "a later iteration": "self.x = 1\nfor i in range(n):\n    seen(self.x)\n    self.x = 2",
    "a target of a loop": "self.x = 1\nfor self.x in range(n):\n    pass\nseen(self.x)",
    "a try that may store": "self.x = 1\ntry:\n    self.x = 2\nexcept ValueError:\n    seen(self.x)",
    "while others run": "self.x = 1\nyield n\nseen(self.x)",
    "a function that runs later": "self.x = 1\nlater = lambda: seen(self.x)",
    "another object": "self.x = 1\nseen(other.x)",
    "deleted": "self.x = 1\ndel self.x\nseen(self.x)",
}
SETTER = """
    @property
    def x(self):
        return 2

    @x.setter
    def x(self, value):
        pass
"""


def stored(body: str, members: str = "") -> object:
    text = "class A:\n    def run(self, n, other):\n" + textwrap.indent(body, " " * 8) + "\n" + members
    module = parse_module(SourceText("own.py", text))
    (call,) = [one for one in module.inside(module.tree, ast.Call) if ast.unparse(one.func) == "seen"]
    (asked,) = call.args
    assert isinstance(asked, ast.Attribute)
    found = stored_before(module, asked)
    return None if found is None else ast.unparse(found)


@pytest.mark.parametrize("name", STORED)
def test_the_value_that_was_stored(name: str) -> None:
    assert stored(STORED[name]) in ("1", "(2, 1)[1]")


@pytest.mark.parametrize("name", NOT_STORED)
def test_none_is_certain(name: str) -> None:
    assert stored(NOT_STORED[name]) is None


def test_a_property_may_give_another_one() -> None:
    assert stored("self.x = 1\nseen(self.x)", SETTER) is None


def test_a_long_method_is_walked_once_for_all_its_attributes() -> None:
    lines = ["        self.x = 1", *(f"        y{at} = work(self.x, self.n{at})" for at in range(2000))]
    module = parse_module(SourceText("own.py", "class A:\n    def run(self):\n" + "\n".join(lines) + "\n"))
    asked = [one for one in module.inside(module.tree, ast.Attribute) if isinstance(one.ctx, ast.Load)]
    begin = time.process_time()
    found = [stored_before(module, one) for one in asked]
    # Each statement before an attribute, looked through anew for each, took minutes.
    assert time.process_time() - begin < 2.0
    assert sum(one is not None for one in found) == 2000
