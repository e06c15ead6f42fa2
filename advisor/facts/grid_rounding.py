"""Whether a grid size is rounded up to whole blocks, so that its last threads stand past the data."""

from __future__ import annotations

import ast

from advisor.facts.host_scope import HostScope
from advisor.facts.tree_nodes import below

_CEILING_CALLS = frozenset({"ceil", "cdiv", "ceildiv", "ceil_div", "div_up", "divup", "div_ceil", "round_up"})
_DEPTH = 4


def rounds_up(node: ast.expr, scope: HostScope) -> bool:
    """Whether the expression, or what its names and functions stand for, divides and rounds up."""
    asked, names = [node], set[str]()
    for _ in range(_DEPTH):
        inside = [inner for one in asked for inner in below(one)]
        if any(_rounds(inner, scope) for inner in inside):
            return True
        new = {inner.id for inner in inside if isinstance(inner, ast.Name)} - names
        names |= new
        asked = [value for name in new for value in scope.bound(scope.module, scope.function, name)]
    return False


def _rounds(node: ast.AST, scope: HostScope) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_ceiling(node)
    return isinstance(node, ast.Call) and _calls_ceiling(node, scope)


def _is_ceiling(node: ast.BinOp) -> bool:
    """`(n + t - 1) // t`, `n // t + 1`, and `-n // t` as a part of `-(-n // t)`."""
    left, right = node.left, node.right
    if isinstance(node.op, ast.FloorDiv):
        return isinstance(left, ast.UnaryOp) or any(
            isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add) for inner in below(left)
        )
    one = isinstance(right, ast.Constant) and right.value == 1
    return isinstance(node.op, ast.Add) and one and _divides(left)


def _divides(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv) for inner in below(node))


def _calls_ceiling(call: ast.Call, scope: HostScope) -> bool:
    dotted = scope.module.dotted(call.func)
    name = dotted.rpartition(".")[2] if dotted else ""
    if name in _CEILING_CALLS:
        return True
    place = scope.workspace.member(dotted, scope.module) if dotted else None
    function = place[0].top_level.get(place[1]) if place else None
    return isinstance(function, ast.FunctionDef) and any(
        (isinstance(inner, ast.BinOp) and _is_ceiling(inner))
        or (isinstance(inner, ast.Call) and _name_of(inner) in _CEILING_CALLS)
        for inner in below(function)
    )


def _name_of(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
