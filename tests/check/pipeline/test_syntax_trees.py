"""Syntax trees, asked for by several threads at once."""

from __future__ import annotations

import ast
import gc
import threading
import time
import warnings

import pytest

from advisor.model.text import syntax_trees
from advisor.model.text.syntax_trees import expression_tree, syntax_tree

TEXT = "def f(a):\n    return [[[[[a + 1]]]]]\n" * 100
_PATIENCE = 10.0


class Garbage:
    """What only a collection finds; then it lets another thread go on for a while, as any finaliser may."""

    def __init__(self, found: threading.Event) -> None:
        self.itself, self.found = self, found

    def __del__(self) -> None:
        self.found.set()
        time.sleep(0.05)


@pytest.fixture
def collected_in_between():
    """The next collection of garbage comes after some 800 new objects: amid a tree of thousands."""
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(800, 10, 10)
    yield
    gc.set_threshold(*before)


def test_a_collection_that_lets_another_thread_build_a_tree_does_no_harm(collected_in_between):
    found, failed = threading.Event(), []

    def other() -> None:
        found.wait(_PATIENCE)
        try:
            syntax_tree("a = [[[[1]]]]\n")
        except SystemError as error:
            failed.append(error)

    beside = threading.Thread(target=other)
    beside.start()
    Garbage(found)
    tree = syntax_tree(TEXT)
    beside.join(_PATIENCE)
    assert found.is_set() and not beside.is_alive() and failed == []
    assert len(tree.body) == 100


def test_one_tree_is_built_at_a_time(monkeypatch):
    inside, together = [], []
    real = ast.parse

    def parse(*given, **named):
        inside.append(1)
        time.sleep(0.01)
        together.append(len(inside))
        inside.pop()
        return real(*given, **named)

    monkeypatch.setattr(syntax_trees.ast, "parse", parse)
    asked = [syntax_tree, expression_tree] * 3
    threads = [threading.Thread(target=one, args=("a + b",)) for one in asked]
    for one in threads:
        one.start()
    for one in threads:
        one.join(_PATIENCE)
    assert together == [1] * len(asked)


def test_a_text_with_an_error_does_not_keep_the_others_out():
    with pytest.raises(SyntaxError):
        syntax_tree("def (")
    with pytest.raises(SyntaxError):
        expression_tree("a = 1")
    assert ast.dump(expression_tree("a")) == ast.dump(ast.parse("a", mode="eval").body)


def test_doubtful_python_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(syntax_tree('x = "\\d"\ny = 1 is 1\n').body) == 2
