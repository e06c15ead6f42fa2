"""Variables that a loop sets only at what it looks for, of which nothing says that it finds it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below


def set_where_found(loop: ast.For, name: str) -> ast.If | None:
    """The `if` of a loop below which alone it sets a variable; None where it may do so in any iteration.

    The data decide: the condition looks at an element, and not at the loop's counter by itself. It compares
    with nothing that is set where it holds, as the search for the least element does, which finds one.
    """
    if loop.orelse:
        return None
    outer = {_outermost_if(one, loop) for one in _bindings(loop, name)}
    found = outer.pop() if len(outer) == 1 else None
    if found is None or found.orelse:
        return None
    tests = [one.test for one in below(found) if isinstance(one, ast.If)]
    bound = {inner for one in below(found) for inner in bound_names(one)}
    counters = {one.id for one in below(loop.target) if isinstance(one, ast.Name)}
    asked = {one.id for test in tests for one in below(test) if isinstance(one, ast.Name)}
    alone = {name for test in tests for name in _names_alone(test)}
    looks = any(isinstance(one, ast.Subscript) for test in tests for one in below(test))
    return found if looks and not asked & bound and not alone & counters else None


def is_asked_elsewhere(function: FunctionNode, found: ast.If) -> bool:
    """Whether a condition outside of an `if` looks at what that sets, as at a flag of a success."""
    bound = {inner for one in below(found) for inner in bound_names(one)}
    inside = set(map(id, below(found)))
    tests: Sequence[ast.expr] = [
        one.test
        for one in below(function)
        if isinstance(one, ast.If | ast.IfExp | ast.While | ast.Assert) and id(one) not in inside
    ]
    return any(isinstance(one, ast.Name) and one.id in bound for test in tests for one in below(test))


def _bindings(loop: ast.For, name: str) -> list[ast.AST]:
    return [one for statement in loop.body for one in below(statement) if name in bound_names(one)]


def _outermost_if(node: ast.AST, loop: ast.For) -> ast.If | None:
    """The statement of a loop's body that holds a node, where that is an `if`."""
    for statement in loop.body:
        if isinstance(statement, ast.If) and any(one is node for one in below(statement)):
            return statement
    return None


def _names_alone(test: ast.expr) -> set[str]:
    """The names that a condition compares by themselves, not as the index of an element."""
    waiting: list[ast.AST] = [test]
    found = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif not isinstance(node, ast.Subscript | ast.Call):
            waiting += ast.iter_child_nodes(node)
    return found
