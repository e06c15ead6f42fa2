"""Expressions of a kernel that are never float32, whatever its data: integers, float64, and what they meet.

Numba computes float32 with an integer of 32 or 64 bits, and so with any whole number that is written in the
source, in float64 (NumPy's rules for the types of results).
"""

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import number_type
from advisor.fixes.support.host.source_effects import positional_parameters
from advisor.fixes.support.values.integer_names import value_kinds
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode

_DEEPEST = 8
_DOUBLE_CALLS = ("float", "float64", "double")
_NEVER = ("int32", "int64", "uint32", "uint64", "float64")
_WIDE = 8.0
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


class NeverFloat32:
    """Tells of expressions of a kernel or device function whether they are never float32.

    `double` are names that stay float64.
    """

    def __init__(
        self, place: Place, module: SourceModule, function: FunctionNode, double: frozenset[str]
    ) -> None:
        kernel = place.kernel()
        is_kernel = kernel is not None and kernel[1] is function
        sites = (place.launches() or []) if is_kernel else []
        given = {
            name
            for position, name in enumerate(positional_parameters(function))
            if sites
            and not module.bindings(name, function)
            and all(number_type(site, position) in _NEVER for site in sites)
        }
        self._kinds = value_kinds(module, function, given)
        self._never = double | given
        self._wide = _wide_arrays(place) if is_kernel else frozenset()
        self._module = module

    def holds(self, node: ast.expr, depth: int = _DEEPEST) -> bool:
        """Whether an expression is an integer of 32 bits or more, or float64; float constants are neither."""
        if depth == 0:
            return False
        if isinstance(node, ast.UnaryOp):
            return self.holds(node.operand, depth)
        if isinstance(node, ast.BinOp):
            right = isinstance(node.op, _ARITHMETIC) and self.holds(node.right, depth - 1)
            return right or self.holds(node.left, depth - 1)
        if isinstance(node, ast.Name):
            bound = self._kinds.locals.bound.get(node.id, ())
            known = node.id in self._never or node.id in self._kinds.locals.counted
            return known or any(self.holds(value, depth - 1) for value in bound)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return node.value.id in self._wide or self._kinds.is_integer(node)
        if isinstance(node, ast.Call) and self._module.code_of(node.func).startswith("math."):
            return self._kinds.is_integer(node) or any(self.holds(one, depth - 1) for one in node.args)
        converted = isinstance(node, ast.Call) and called_name(node) in _DOUBLE_CALLS
        return converted or self._kinds.is_integer(node)


def _wide_arrays(place: Place) -> frozenset[str]:
    """The arrays whose elements take 8 bytes or more: the host code says so, or in a run neighbouring
    elements for all lanes of a warp lay in more sectors than those of float32 do.
    """
    narrow = float(place.parameters["float32_sectors"])
    found = set()
    for row in place.rows("access"):
        size, sectors = row.values.get("itemsize"), row.values.get("ideal_sectors_per_request")
        wide = isinstance(size, float) and size >= _WIDE
        if wide or (isinstance(sectors, float) and sectors > narrow):
            found.add(str(row.values.get("array")))
    return frozenset(found)
