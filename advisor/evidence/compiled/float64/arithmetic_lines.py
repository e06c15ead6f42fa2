"""Which lines of a function compute at all.

What the compiler moves out of a loop keeps no line of its own and is counted at the line before the loop:
float64 arithmetic at a line that only stores a number belongs to another one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.syntax.calls import called_name

_COMPUTING = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Compare, ast.Call, ast.IfExp, ast.For, ast.BoolOp)


# Numba's own code computes these in float64, whatever the kernel does.
_FLOAT32_RANDOM = frozenset({"xoroshiro128p_uniform_float32", "xoroshiro128p_normal_float32"})


@lru_cache(maxsize=256)
def arithmetic_lines(source: str) -> frozenset[int] | None:
    """The lines (the first is 1) of a function's text with an operation on values or a call, None for a text
    that does not parse. What computes a place in an array computes whole numbers and does not count, nor does
    a `range` of them; nor does a call of Numba's that draws a float32.
    """
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: set[int] = set()
    for node in _outside_brackets(tree):
        if isinstance(node, ast.For):
            found.update(range(node.lineno, (node.iter.end_lineno or node.lineno) + 1))
        elif isinstance(node, _COMPUTING) and isinstance(node, ast.expr | ast.stmt):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(found)


def _outside_brackets(tree: ast.AST) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            continue
        if isinstance(node, ast.Call) and called_name(node) in _FLOAT32_RANDOM:
            continue
        if isinstance(node, ast.For) and _over_whole_numbers(node.iter):
            waiting += [*node.body, *node.orelse]
            continue
        yield node
        if isinstance(node, ast.Subscript):
            waiting.append(node.value)
        else:
            waiting += ast.iter_child_nodes(node)


def _over_whole_numbers(walked: ast.expr) -> bool:
    """Whether a loop goes over a `range` in whose arguments nothing is called or divided."""
    if not (isinstance(walked, ast.Call) and isinstance(walked.func, ast.Name) and walked.func.id == "range"):
        return False
    inside = [inner for one in walked.args for inner in ast.walk(one)]
    return not any(isinstance(inner, ast.Call | ast.Div) for inner in inside)
