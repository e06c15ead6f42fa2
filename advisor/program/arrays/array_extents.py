"""How long the rows of array arguments are, where the host code that makes the arrays fixes it."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TypeAlias

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.names.object_attributes import enclosing_class, values_of_attribute
from advisor.program.names.reaching_values import bound_before, reaching_values
from advisor.program.names.workspace import KNOWN_LIBRARIES
from advisor.program.syntax.calls import called_name, keyword_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, stored_names
from advisor.program.values.constants import Constants
from advisor.program.values.script_calls import values_in_script

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
    source does not fix. Of an array that the calls of a script's function give in several sizes it is the
    largest.
    """
    finder = _Extents(scope, {}, largest=True)
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
    finder = _Extents(scope, {}, largest=True)
    found = [finder.of(argument, _DEPTH) for argument in arguments if scope.is_host_array(argument)]
    if any(sizes is None or None in sizes for sizes in found):
        return None
    return max((math.prod(one for one in sizes or () if one is not None) for sizes in found), default=None)


class _Extents:
    def __init__(self, scope: HostScope, given: dict[str, object], *, largest: bool = False) -> None:
        self.scope, self.largest = scope, largest
        self.constants = Constants(scope.workspace, scope.module, scope.function, given)

    def of(self, node: ast.expr | None, depth: int) -> Extents | None:
        if depth == 0 or node is None:
            return None
        if isinstance(node, ast.Name):
            return self._agreed(node, depth - 1)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node, depth - 1)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, depth - 1)
        return self._call(node, depth - 1) if isinstance(node, ast.Call) else None

    def _arithmetic(self, node: ast.BinOp, depth: int) -> Extents | None:
        sides = [one for one in (node.left, node.right) if not self.is_number(one, depth)]
        found = {self.of(side, depth) for side in sides}
        return found.pop() if len(found) == 1 else None

    def is_number(self, node: ast.expr | None, depth: int) -> bool:
        """Whether an argument is a number for certain."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float | complex)
        if isinstance(node, ast.UnaryOp):
            return self.is_number(node.operand, depth)
        if isinstance(node, ast.BinOp):
            return self.is_number(node.left, depth) and self.is_number(node.right, depth)
        if isinstance(node, ast.Name) and depth:
            values = self._values(node)
            return bool(values) and all(self.is_number(value, depth - 1) for value in values)
        return isinstance(node, ast.Call) and called_name(node) in _NUMBERS

    def _values(self, node: ast.Name) -> Sequence[ast.expr | None]:
        function = self.scope.function
        if function is None:
            return bound_before(self.scope.module, node)
        values = reaching_values(self.scope.module, function, node.id, node)
        if not values and node.id in {argument.arg for argument in function.args.args}:
            return []
        return values or self.scope.module.assigned.get(node.id, [])

    def _agreed(self, node: ast.Name, depth: int) -> Extents | None:
        values = self._values(node)
        if not values:
            return self._given(node.id, depth)
        found = {self.of(value, depth) for value in values}
        return found.pop() if len(found) == 1 else None

    def _given(self, name: str, depth: int) -> Extents | None:
        """The sizes that the calls in a script give for a parameter of its function."""
        calls = values_in_script(self.scope.module, self.scope.function, name)
        return self._one_of({self._elsewhere(caller).of(given, depth) for caller, given in calls})

    def _attribute(self, node: ast.Attribute, depth: int) -> Extents | None:
        """The sizes of an array that methods of the object's class keep in it, and nothing else changes."""
        module, function = self.scope.module, self.scope.function
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        owner = enclosing_class(module, function) if own else None
        if owner is None or _set_from_outside(node.attr, module):
            return None
        values = values_of_attribute(module, owner, node.attr)
        return self._one_of({self._elsewhere(method).of(value, depth) for method, value in values})

    def _elsewhere(self, function: FunctionNode | None) -> _Extents:
        scope = HostScope(self.scope.module, function, self.scope.workspace)
        return _Extents(scope, {}, largest=self.largest)

    def _one_of(self, found: set[Extents | None]) -> Extents | None:
        if len(found) == 1:
            return found.pop()
        known = [one for one in found if one is not None and None not in one]
        if not self.largest or len(known) < len(found):
            return None
        return max(known, key=lambda one: math.prod(size or 0 for size in one), default=None)

    def _call(self, node: ast.Call, depth: int) -> Extents | None:
        name = called_name(node)
        first = node.args[0] if node.args else None
        if name in _DRAWN:
            return self._sizes(keyword_value(node, "size"))
        if name == "arange":
            return self._counted(node)
        if name in _FILLED:
            shape = first or keyword_value(node, "shape")
            return self._sizes(shape, depth)
        if name in ("rand", "randn") and node.args:
            return self._sizes(ast.copy_location(ast.Tuple(elts=node.args, ctx=ast.Load()), node))
        if name in ("array", "asarray") and isinstance(first, ast.Call) and called_name(first) == "range":
            return self._sizes(first.args[0], depth) if len(first.args) == 1 else None
        if name in ("array", "asarray") and isinstance(first, ast.List):
            return self._listed(first)
        if name in ("eye", "identity") and len(node.args) == 1:
            return (self._sizes(first) or ()) * 2 or None
        if name == "diag" and first is not None:
            return self._diagonal(node, self.of(first, depth))
        owner = self._owner(node)
        if owner is not None and name in _KEPT:
            return self.of(owner, depth)
        if owner is not None and name == "reshape":
            return self._reshaped(node, self.of(owner, depth))
        return self.of(first, depth) if name in _SAME else self._returned(node, depth)

    def _counted(self, node: ast.Call) -> Extents | None:
        """The sizes of `arange` for whole numbers."""
        if len(node.args) == 1:
            return self._sizes(node.args[0])
        given = [self.constants.value(one) for one in node.args]
        bounds = [one for one in given if type(one) is int]
        if not 2 <= len(bounds) == len(given) <= 3 or 0 in bounds[2:]:
            return None
        return (len(range(*bounds)) or None,)

    def _listed(self, node: ast.expr) -> Extents | None:
        """The sizes of an array of the numbers, or lists of numbers as long as each other, in a list."""
        if not isinstance(node, ast.List):
            return () if self.is_number(node, 1) else None
        inner = {self._listed(one) for one in node.elts}
        if len(inner) != 1:
            return None
        item = inner.pop()
        return None if item is None else (len(node.elts), *item)

    def _diagonal(self, node: ast.Call, line: Extents | None) -> Extents | None:
        """The sizes of the matrix that has a line of numbers on a diagonal."""
        by_name = keyword_value(node, "k")
        written = node.args[1] if len(node.args) > 1 else by_name
        offset = 0 if written is None else self.constants.value(written)
        if line is None or len(line) != 1 or line[0] is None or type(offset) is not int:
            return None
        return (line[0] + abs(offset),) * 2

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
        scope = HostScope(place[0], function, self.scope.workspace)
        inner = _Extents(scope, given, largest=self.largest)
        returns = place[0].inside(function, ast.Return)
        found = {inner.of(one.value, depth) for one in returns}
        return found.pop() if len(found) == 1 else None

    def _sizes(self, shape: ast.expr | None, depth: int = _DEPTH) -> Extents | None:
        if isinstance(shape, ast.Call) and called_name(shape) == "len" and len(shape.args) == 1:
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


def _set_from_outside(attribute: str, module: ModuleSyntax) -> bool:
    """Whether the module stores to an attribute of that name of anything but `self`."""
    return any(
        node.attr == attribute
        and isinstance(node.ctx, ast.Store)
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
        for node in module.inside(module.tree, ast.Attribute)
    )


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
