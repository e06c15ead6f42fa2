"""How long the rows of array arguments are, where the host code that makes the arrays fixes it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from advisor.facts.constants import Constants
from advisor.facts.host_scope import HostScope
from advisor.facts.module import FunctionNode, stored_names
from advisor.facts.reaching import reaching_values

Extents: TypeAlias = tuple[int | None, ...]
_DEPTH = 6
_FILLED = frozenset(
    {"zeros", "ones", "empty", "full", "device_array", "pinned_array", "mapped_array", "managed_array"}
)
_SAME = frozenset({
    "to_device", "ascontiguousarray", "asarray", "array", "copy", "zeros_like", "ones_like", "empty_like",
    "full_like", "device_array_like", "astype",
})  # fmt: skip


def extents_of_arguments(arguments: Sequence[ast.expr], scope: HostScope) -> tuple[Extents | None, ...]:
    """For each argument the sizes of its axes, None where no size behind the first axis is known.

    A size that the enclosing function takes as a parameter is that of the parameter's default.
    """
    finder = _Extents(scope)
    found = [
        finder.of(argument, _DEPTH) if isinstance(argument, ast.Name) else None for argument in arguments
    ]
    return tuple(one if one and any(size is not None for size in one[1:]) else None for one in found)


class _Extents:
    def __init__(self, scope: HostScope) -> None:
        self.scope = scope
        self.constants = Constants(scope.workspace, scope.module, scope.function, _defaults(scope.function))

    def of(self, node: ast.expr | None, depth: int) -> Extents | None:
        if depth == 0 or node is None:
            return None
        if isinstance(node, ast.Name):
            return self._agreed(node, depth - 1)
        return self._call(node, depth - 1) if isinstance(node, ast.Call) else None

    def _agreed(self, node: ast.Name, depth: int) -> Extents | None:
        function = self.scope.function
        values = reaching_values(function, node.id, node) if function is not None else None
        found = {self.of(value, depth) for value in values or self.scope.module.assigned.get(node.id, [])}
        return found.pop() if len(found) == 1 else None

    def _call(self, node: ast.Call, depth: int) -> Extents | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0] if node.args else None
        if name in _FILLED:
            shape = first or next((one.value for one in node.keywords if one.arg == "shape"), None)
            return self._sizes(shape)
        if name == "astype" and isinstance(node.func, ast.Attribute):
            return self.of(node.func.value, depth)
        return self.of(first, depth) if name in _SAME else None

    def _sizes(self, shape: ast.expr | None) -> Extents | None:
        value = self.constants.value(shape) if shape is not None else None
        if not isinstance(value, tuple):
            return None
        return tuple(item if type(item) is int and item > 0 else None for item in value)


def _defaults(function: FunctionNode | None) -> dict[str, object]:
    """The parameters of a function that it does not change, with their constant defaults."""
    if function is None:
        return {}
    given = function.args
    pairs = [
        *zip(reversed(given.args), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=False),
    ]
    found = {
        name.arg: item.value
        for name, item in pairs
        if isinstance(item, ast.Constant) and type(item.value) is int
    }
    if not found:
        return {}
    changed = stored_names(function)
    return {name: value for name, value in found.items() if name not in changed}
