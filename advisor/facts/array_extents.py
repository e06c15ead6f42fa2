"""How long the rows of array arguments are, where the host code that makes the arrays fixes it."""

from __future__ import annotations

import ast
import math
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
_DRAWN = frozenset({"normal", "uniform", "random", "randint", "integers", "standard_normal", "choice"})
_NUMBERS = frozenset({"float32", "float64", "int32", "int64", "uint32", "float", "int", "len"})
_SAME = frozenset({
    "to_device", "ascontiguousarray", "asarray", "array", "copy", "zeros_like", "ones_like", "empty_like",
    "full_like", "device_array_like", "astype",
})  # fmt: skip


def extents_of_arguments(arguments: Sequence[ast.expr], scope: HostScope) -> tuple[Extents | None, ...]:
    """For each argument the sizes of its axes, None where none is known or there is only one axis.

    A size that the enclosing function takes as a parameter is that of the parameter's default.
    """
    finder = _Extents(scope, _defaults(scope.function))
    found = [
        finder.of(argument, _DEPTH) if isinstance(argument, ast.Name) else None for argument in arguments
    ]
    return tuple(one if one and len(one) > 1 and set(one) != {None} else None for one in found)


def largest_array(arguments: Sequence[ast.expr], scope: HostScope) -> int | None:
    """The elements of the largest array among the arguments, None where one of them may be an array of a
    size that the source does not fix.
    """
    finder = _Extents(scope, {})
    found = []
    for argument in arguments:
        sizes = finder.of(argument, _DEPTH)
        if sizes is not None and None not in sizes:
            found.append(math.prod(size for size in sizes if size is not None))
        elif not finder.is_number(argument, _DEPTH):
            return None
    return max(found, default=None)


class _Extents:
    def __init__(self, scope: HostScope, given: dict[str, object]) -> None:
        self.scope = scope
        self.constants = Constants(scope.workspace, scope.module, scope.function, given)

    def of(self, node: ast.expr | None, depth: int) -> Extents | None:
        if depth == 0 or node is None:
            return None
        if isinstance(node, ast.Name):
            return self._agreed(node, depth - 1)
        return self._call(node, depth - 1) if isinstance(node, ast.Call) else None

    def is_number(self, node: ast.expr | None, depth: int) -> bool:
        """Whether an argument is a number for certain."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float)
        if isinstance(node, ast.Name) and depth:
            values = self._values(node)
            return bool(values) and all(self.is_number(value, depth - 1) for value in values)
        return isinstance(node, ast.Call) and _called(node) in _NUMBERS

    def _values(self, node: ast.Name) -> Sequence[ast.expr | None]:
        function = self.scope.function
        values = reaching_values(function, node.id, node) if function is not None else None
        return values or self.scope.module.assigned.get(node.id, [])

    def _agreed(self, node: ast.Name, depth: int) -> Extents | None:
        found = {self.of(value, depth) for value in self._values(node)}
        return found.pop() if len(found) == 1 else None

    def _call(self, node: ast.Call, depth: int) -> Extents | None:
        name = _called(node)
        first = node.args[0] if node.args else None
        if name in _DRAWN:
            return self._sizes(next((one.value for one in node.keywords if one.arg == "size"), None))
        if name == "arange" and len(node.args) == 1:
            return self._sizes(first)
        if name in _FILLED:
            shape = first or next((one.value for one in node.keywords if one.arg == "shape"), None)
            return self._sizes(shape)
        if name == "astype" and isinstance(node.func, ast.Attribute):
            return self.of(node.func.value, depth)
        return self.of(first, depth) if name in _SAME else None

    def _sizes(self, shape: ast.expr | None) -> Extents | None:
        value = self.constants.value(shape) if shape is not None else None
        if type(value) is int:
            value = (value,)
        if not isinstance(value, tuple):
            return None
        return tuple(item if type(item) is int and item > 0 else None for item in value)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


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
