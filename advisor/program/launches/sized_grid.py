"""Grids of launches that are computed from arrays whose sizes the source fixes, or that end at a number."""

from __future__ import annotations

import ast
import math

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_values import Array, Items, Number, Value
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name, last_name
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.values.constants import Constants

_DEPTH = 8
_SIZES = frozenset({"shape", "size"})
# What these give is no tuple, whatever they are given.
_NUMBERS = frozenset({"len", "int", "round", "ceil", "floor"})
_OF_NUMBERS = (ast.FloorDiv, ast.Div, ast.Sub, ast.Mod, ast.LShift, ast.RShift)


def sized(node: ast.expr, scope: HostScope) -> object:
    """The value of an expression of a function that may ask arrays for their sizes, as far as the source
    fixes these; sizes that code outside of the function asks for are not known.
    """
    found = _numbers(scope.value(node))
    if found is not None:
        return found
    known = shapes_in(scope)
    return Constants(scope.workspace, scope.module, scope.function, known or None).value(node)


def _numbers(value: Value) -> int | tuple[int, ...] | None:
    """A whole number or several of them, None where one is not known."""
    if isinstance(value, Number):
        return value.value if type(value.value) is int else None
    if not isinstance(value, Items):
        return None
    known = [_numbers(one) for one in value.items]
    numbers = tuple(one for one in known if isinstance(one, int))
    return numbers if numbers and len(numbers) == len(known) else None


def is_number(node: ast.expr, module: ModuleSyntax, depth: int = _DEPTH) -> bool:
    """Return whether an expression is one number and no tuple of them, also where it is not known which."""
    if depth == 0:
        return False
    parts: list[ast.expr | None]
    if isinstance(node, ast.Name):
        parts = values_at(module, node)
        return bool(parts) and all(one is not None and is_number(one, module, depth - 1) for one in parts)
    if isinstance(node, ast.BinOp):
        sides = [is_number(one, module, depth - 1) for one in (node.left, node.right)]
        # `(n,) + (1,)` and `(1,) * 3` are tuples.
        return isinstance(node.op, _OF_NUMBERS) or (any if isinstance(node.op, ast.Add) else all)(sides)
    if isinstance(node, ast.Subscript):
        return last_name(node.value) == "shape" and not isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub | ast.UAdd)
    return called_name(node) in _NUMBERS


def most_blocks(node: ast.expr, constants: Constants) -> int | None:
    """The number that a grid of one axis never exceeds, as in `min(n // 128, 64)`, None without one."""
    for _ in range(_DEPTH):
        if isinstance(node, ast.Name):
            values = values_at(constants.module, node)
            if len(values) != 1 or values[0] is None:
                return None
            node = values[0]
        elif isinstance(node, ast.Tuple) and len(node.elts) == 1:
            node = node.elts[0]
        elif isinstance(node, ast.Call) and called_name(node) == "int" and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node, ast.Call) and called_name(node) in ("min", "minimum"):
            known = [constants.value(one) for one in node.args]
            numbers = [one for one in known if type(one) is int and one > 0]
            return min(numbers, default=None)
        else:
            return None
    return None


def shapes_in(scope: HostScope) -> dict[str, object]:
    """The sizes of the arrays that a function, or a module's own statements, ask for their sizes, by what
    stands there: `name.shape`, `name.size`; not of a name that stands for arrays of several sizes.
    """
    found: dict[str, set[tuple[int, ...] | None]] = {}
    module = scope.module
    for asked in module.once(_asked_arrays, scope.function or module.tree):
        found.setdefault(asked.id, set()).add(_shape(asked, scope))
    known: dict[str, object] = {}
    for name, shapes in found.items():
        shape = shapes.pop()
        if not shapes and shape is not None:
            known |= {f"{name}.shape": shape, f"{name}.size": math.prod(shape)}
    return known


def _asked_arrays(module: ModuleSyntax, around: FunctionNode | ast.Module) -> list[ast.Name]:
    """The names of which the statements of a function or a module itself ask the sizes."""
    function = None if isinstance(around, ast.Module) else around
    return [
        node.value
        for node in module.inside(around, ast.Attribute)
        if node.attr in _SIZES
        and isinstance(node.value, ast.Name)
        and module.function_around(node) is function
    ]


def _shape(node: ast.expr, scope: HostScope) -> tuple[int, ...] | None:
    value = scope.value(node)
    shape = value.shape if isinstance(value, Array) else None
    known = tuple(size for size in shape or () if size is not None)
    return known if shape is not None and len(known) == len(shape) else None
