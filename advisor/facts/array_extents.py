"""How long the rows of array arguments are, where the host code that makes the arrays fixes it."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TypeAlias

from advisor.facts.constants import Constants
from advisor.facts.host_scope import HostScope
from advisor.facts.module import FunctionNode, stored_names
from advisor.facts.reaching import bound_before, reaching_values
from advisor.facts.workspace import KNOWN_LIBRARIES

Extents: TypeAlias = tuple[int | None, ...]
_DEPTH = 12
_FILLED = frozenset(
    {"zeros", "ones", "empty", "full", "device_array", "pinned_array", "mapped_array", "managed_array"}
)
_DRAWN = frozenset({"normal", "uniform", "random", "randint", "integers", "standard_normal", "choice"})
_NUMBERS = frozenset({"float32", "float64", "int32", "int64", "uint32", "float", "int", "len"})
_SAME = frozenset({
    "to_device", "ascontiguousarray", "asarray", "array", "copy", "zeros_like", "ones_like", "empty_like",
    "full_like", "device_array_like", "astype",
})  # fmt: skip

_KEPT = frozenset({"astype", "copy", "copy_to_host", "get"})


def extents_of_arguments(arguments: Sequence[ast.expr], scope: HostScope) -> tuple[Extents | None, ...]:
    """For each argument the sizes of its axes, None where none is known or there is only one axis.

    A size that the enclosing function takes as a parameter is that of the parameter's default.
    """
    finder = _Extents(scope, _defaults(scope.function))
    found = [
        finder.of(argument, _DEPTH) if isinstance(argument, ast.Name) else None for argument in arguments
    ]
    return tuple(one if one and len(one) > 1 and set(one) != {None} else None for one in found)


def sizes_of_arrays(arguments: Sequence[ast.expr], scope: HostScope) -> list[tuple[int, ...]] | None:
    """The sizes of all arrays among the arguments, None where one of them may be an array of a size that the
    source does not fix.
    """
    finder = _Extents(scope, {})
    found = []
    for argument in arguments:
        sizes = finder.of(argument, _DEPTH)
        if sizes is not None and None not in sizes:
            found.append(tuple(size for size in sizes if size is not None))
        elif not finder.is_number(argument, _DEPTH):
            return None
    return found


def largest_host_array(arguments: Sequence[ast.expr], scope: HostScope) -> int | None:
    """The elements of the largest NumPy array among the arguments, None where the source does not fix the
    size of each, or there is none.
    """
    finder = _Extents(scope, {})
    found = [finder.of(argument, _DEPTH) for argument in arguments if scope.is_host_array(argument)]
    if any(sizes is None or None in sizes for sizes in found):
        return None
    return max((math.prod(one for one in sizes or () if one is not None) for sizes in found), default=None)


class _Extents:
    def __init__(self, scope: HostScope, given: dict[str, object]) -> None:
        self.scope = scope
        self.constants = Constants(scope.workspace, scope.module, scope.function, given)

    def of(self, node: ast.expr | None, depth: int) -> Extents | None:
        if depth == 0 or node is None:
            return None
        if isinstance(node, ast.Name):
            return self._agreed(node, depth - 1)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node, depth - 1)
        return self._call(node, depth - 1) if isinstance(node, ast.Call) else None

    def _arithmetic(self, node: ast.BinOp, depth: int) -> Extents | None:
        sides = [one for one in (node.left, node.right) if not self.is_number(one, depth)]
        found = {self.of(side, depth) for side in sides}
        return found.pop() if len(found) == 1 else None

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
        if function is None:
            return bound_before(self.scope.module, node)
        values = reaching_values(function, node.id, node)
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
            return self._sizes(shape, depth)
        if name in ("rand", "randn") and node.args:
            return self._sizes(ast.copy_location(ast.Tuple(elts=node.args, ctx=ast.Load()), node))
        if name in ("array", "asarray") and isinstance(first, ast.Call) and _called(first) == "range":
            return self._sizes(first.args[0], depth) if len(first.args) == 1 else None
        if name in ("array", "asarray") and isinstance(first, ast.List):
            return (len(first.elts),) if all(self.is_number(one, 1) for one in first.elts) else None
        owner = self._owner(node)
        if owner is not None and name in _KEPT:
            return self.of(owner, depth)
        if owner is not None and name == "reshape":
            return self._reshaped(node, self.of(owner, depth))
        return self.of(first, depth) if name in _SAME else self._returned(node, depth)

    def _owner(self, node: ast.Call) -> ast.expr | None:
        """The array whose method is called, None for a function."""
        if not isinstance(node.func, ast.Attribute):
            return None
        dotted = self.scope.module.dotted(node.func)
        root = dotted.split(".")[0] if dotted else ""
        return None if root in KNOWN_LIBRARIES else node.func.value

    def _reshaped(self, node: ast.Call, before: Extents | None) -> Extents | None:
        """The sizes that a `reshape` gives; one that it works out follows from the number of elements."""
        shape = node.args[0] if len(node.args) == 1 else ast.Tuple(elts=node.args, ctx=ast.Load())
        sizes = self._sizes(ast.copy_location(shape, node))
        if sizes is None or sizes.count(None) != 1 or before is None or None in before:
            return sizes
        rest = math.prod(size for size in sizes if size is not None)
        whole = math.prod(size for size in before if size is not None)
        return tuple(whole // rest if size is None else size for size in sizes)

    def _returned(self, node: ast.Call, depth: int) -> Extents | None:
        """The sizes of the array that a function of the workspace returns for these arguments."""
        dotted = self.scope.module.dotted(node.func)
        place = self.scope.workspace.member(dotted, self.scope.module) if dotted else None
        function = place[0].top_level.get(place[1]) if place else None
        if place is None or not isinstance(function, ast.FunctionDef) or depth <= 0:
            return None
        given = {
            parameter.arg: self.constants.value(value)
            for parameter, value in zip(function.args.args, node.args, strict=False)
        }
        inner = _Extents(HostScope(place[0], function, self.scope.workspace), given)
        returns = place[0].inside(function, ast.Return)
        found = {inner.of(one.value, depth) for one in returns}
        return found.pop() if len(found) == 1 else None

    def _sizes(self, shape: ast.expr | None, depth: int = _DEPTH) -> Extents | None:
        if isinstance(shape, ast.Call) and _called(shape) == "len" and len(shape.args) == 1:
            measured = self.of(shape.args[0], depth - 1)
            return measured[:1] if measured else None
        if isinstance(shape, ast.Attribute) and shape.attr == "shape":
            return self.of(shape.value, depth - 1)
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
