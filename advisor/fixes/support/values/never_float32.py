"""Expressions of a kernel that are never float32, whatever its data: integers, float64, and what they meet.

Numba computes float32 with an integer of 32 or 64 bits, and so with any whole number that is written in the
source, in float64 (NumPy's rules for the types of results).
"""

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import GRID_CALLS, INDEX_NAMES, cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite, given_value
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer

_DEEPEST = 8
_WHOLE_CALLS = ("len", "int", "int32", "int64", "intp", "uint32", "uint64", "floor", "ceil")
_DOUBLE_CALLS = ("float", "float64", "double")
_WIDE = 8.0
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


class NeverFloat32:
    """Tells of expressions of a kernel or device function whether they are never float32.

    `double` are names that stay float64.
    """

    def __init__(
        self, place: Place, module: SourceModule, function: ast.FunctionDef, double: frozenset[str]
    ) -> None:
        self._double = double
        self._body = KernelBody(module, function)
        self._module = module
        kernel = place.kernel()
        is_kernel = kernel is not None and kernel[1] is function
        self._sites = (place.launches() or []) if is_kernel else []
        self._wide = _wide_arrays(place) if is_kernel else frozenset()

    def holds(self, node: ast.expr, depth: int = _DEEPEST) -> bool:
        """Whether an expression is an integer of 32 bits or more, or float64; float constants are neither."""
        if depth == 0:
            return False
        if written_integer(node) is not None:
            return True
        if isinstance(node, ast.UnaryOp):
            return self.holds(node.operand, depth)
        if isinstance(node, ast.BinOp):
            right = isinstance(node.op, _ARITHMETIC) and self.holds(node.right, depth - 1)
            return right or self.holds(node.left, depth - 1)
        if isinstance(node, ast.Name):
            return self._named(node.id, depth - 1)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._element(node)
        return isinstance(node, ast.Call) and self._called(node, depth - 1)

    def _named(self, name: str, depth: int) -> bool:
        if name in self._double:
            return True
        if name in self._body.parameters and not self._module.bindings(name, self._body.function):
            return bool(self._sites) and all(self._is_given(site, name) for site in self._sites)
        return any(
            self._bound(node, name, depth) for node in self._module.bindings(name, self._body.function)
        )

    def _is_given(self, site: LaunchSite, name: str) -> bool:
        """Whether a launch gives such a number for a parameter."""
        position = self._body.parameters.index(name)
        arguments = site.arguments
        if arguments is None or position >= len(arguments):
            return False
        value = site.defined(arguments[position])
        if isinstance(value, ast.Call):
            return site.module.code_of(value.func).split(".")[-1] in (*_WHOLE_CALLS, *_DOUBLE_CALLS)
        return isinstance(value, ast.Constant) and type(value.value) in (int, float)

    def _bound(self, node: ast.AST, name: str, depth: int) -> bool:
        if isinstance(node, ast.AugAssign):
            return self.holds(node.value, depth)
        if isinstance(node, ast.For):
            return range_bounds(node) is not None
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            return _is_shape(node.value) or (
                isinstance(node.value, ast.Call) and self._called(node.value, depth)
            )
        value = given_value(node, name)
        return value is not None and self.holds(value, depth)

    def _attribute(self, node: ast.Attribute) -> bool:
        return node.attr in ("size", "ndim") or cuda_attribute(self._module, node.value) in INDEX_NAMES

    def _element(self, node: ast.Subscript) -> bool:
        return _is_shape(node.value) or (isinstance(node.value, ast.Name) and node.value.id in self._wide)

    def _called(self, node: ast.Call, depth: int) -> bool:
        name = cuda_attribute(self._module, node.func)
        owner, _, called = self._module.code_of(node.func).rpartition(".")
        if owner == "math" and called not in _WHOLE_CALLS:
            return any(self.holds(one, depth) for one in node.args)
        return name in GRID_CALLS or called in (*_WHOLE_CALLS, *_DOUBLE_CALLS)


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


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
