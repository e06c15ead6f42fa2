"""The grid of a launch that is computed from arrays whose sizes the source fixes."""

from __future__ import annotations

import ast
import math

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_values import Array
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.constants import Constants

_SIZES = frozenset({"shape", "size"})


def sized(node: ast.expr, scope: HostScope) -> object:
    """The value of an expression of a function that may ask arrays for their sizes, as far as the source
    fixes these; sizes that code outside of the function asks for are not known.
    """
    known = shapes_in(scope)
    return Constants(scope.workspace, scope.module, scope.function, known or None).value(node)


def shapes_in(scope: HostScope) -> dict[str, object]:
    """The sizes of the arrays that a function, or a module's own statements, ask for their sizes, by what
    stands there: `name.shape`, `name.size`; not of a name that stands for arrays of several sizes.
    """
    found: dict[str, set[tuple[int, ...] | None]] = {}
    module = scope.module
    for node in module.inside(scope.function or module.tree, ast.Attribute):
        if node.attr in _SIZES and isinstance(node.value, ast.Name) and _stands_in(node, scope):
            found.setdefault(node.value.id, set()).add(_shape(node.value, scope))
    known: dict[str, object] = {}
    for name, shapes in found.items():
        shape = shapes.pop()
        if not shapes and shape is not None:
            known |= {f"{name}.shape": shape, f"{name}.size": math.prod(shape)}
    return known


def _stands_in(node: ast.expr, scope: HostScope) -> bool:
    module: ModuleSyntax = scope.module
    return module.function_around(node) is scope.function


def _shape(node: ast.expr, scope: HostScope) -> tuple[int, ...] | None:
    value = scope.value(node)
    shape = value.shape if isinstance(value, Array) else None
    known = tuple(size for size in shape or () if size is not None)
    return known if shape is not None and len(known) == len(shape) else None
