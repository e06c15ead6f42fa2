"""What launches give for the arrays of a kernel: NumPy arrays that they copy, or ones without elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal, TypeAlias

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.names.reaching_values import bound_before, reaching_values
from advisor.program.syntax.calls import keyword_value

# None where the source does not tell.
Given: TypeAlias = Literal["host", "empty", "other"] | None
_DEPTH = 4
_FILLED = frozenset({"zeros", "ones", "empty", "full", "device_array", "pinned_array", "mapped_array"})


def given_arrays(call: ast.Call, scope: HostScope) -> tuple[Given, ...]:
    """What a launch gives for each parameter; nothing where it does not name them one by one."""
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        return ()
    return tuple(_given(argument, scope) for argument in call.args)


def _given(argument: ast.expr, scope: HostScope) -> Given:
    if _is_empty(argument, scope, _DEPTH):
        return "empty"
    host = scope.is_host_array(argument)
    return None if host is None else "host" if host else "other"


def _is_empty(node: ast.expr | None, scope: HostScope, depth: int) -> bool:
    """Whether an array is made with a size that is 0 unless a setting changes it."""
    if depth == 0 or node is None:
        return False
    if isinstance(node, ast.Name):
        values = _values(node, scope)
        return bool(values) and all(_is_empty(value, scope, depth - 1) for value in values)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    if name.endswith("_like") and node.args:
        return _is_empty(node.args[0], scope, depth - 1)
    shape = keyword_value(node, "shape")
    shape = shape or (node.args[0] if node.args else None)
    if name not in _FILLED or not isinstance(shape, ast.Tuple):
        return False
    return any(_zero_by_default(size, scope) for size in shape.elts)


def _values(node: ast.Name, scope: HostScope) -> Sequence[ast.expr | None]:
    if scope.function is None:
        return bound_before(scope.module, node)
    return reaching_values(scope.module, scope.function, node.id, node) or []


def _zero_by_default(size: ast.expr, scope: HostScope) -> bool:
    """Whether a size is a module's constant that is written as 0, whatever functions make of it later."""
    dotted = scope.module.dotted(size) if isinstance(size, ast.Name | ast.Attribute) else None
    place = scope.workspace.member(dotted, scope.module) if dotted else None
    if place is None:
        return False
    values = place[0].assigned.get(place[1], [])
    return bool(values) and all(isinstance(one, ast.Constant) and one.value == 0 for one in values)
