"""Numba types of arguments, as far as the host code that makes them shows: dtypes, dimensions, scalars."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.program.arrays.array_orders import ArrayOrders
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.random_draws import draws_one, parameters_drawn_with, size_drawn
from advisor.program.effects.argument_types import OF_SOME_DIMENSIONS, array_type
from advisor.program.kernels.declarations import cuda_member
from advisor.program.names.object_attributes import enclosing_class, values_of_attribute
from advisor.program.names.reaching_values import reaching_in_module, reaching_values
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below
from advisor.program.values.call_sites import values_given

_DEPTH = 8
_DTYPES = {
    "float16": "float16", "float32": "float32", "float64": "float64", "single": "float32",
    "double": "float64", "f4": "float32", "f8": "float64", "float": "float64", "float_": "float64",
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "i4": "int32", "i8": "int64",
    "int": "int64", "int_": "int64", "intp": "int64", "uint8": "uint8", "uint16": "uint16",
    "uint32": "uint32", "uint64": "uint64", "u1": "uint8", "bool": "boolean", "bool_": "boolean",
    "complex64": "complex64", "complex128": "complex128",
}  # fmt: skip
_FILLED = frozenset(
    {"zeros", "ones", "empty", "device_array", "pinned_array", "mapped_array", "managed_array"}
)
_SAME = frozenset({"to_device", "ascontiguousarray", "asfortranarray", "copy"})
_ALIKE = frozenset(
    {"zeros_like", "ones_like", "empty_like", "full_like", "device_array_like", "asarray", "array"}
)
_DRAWN_FLOATS = frozenset({"random", "random_sample", "standard_normal", "uniform", "normal"})
_DRAWN_INTEGERS = frozenset({"randint", "integers"})
_FLAT = frozenset({"ravel", "flatten"})


# An array of which the source does not show how many dimensions it has.
_SOME = -1
# What gives an array with the elements of the one that it is given.
_KEEPS = frozenset({"get", "copy", "copy_to_host", "asarray", "to_device", "ascontiguousarray", "array"})


@dataclass(frozen=True)
class HostType:
    """A dtype with the number of dimensions, 0 for a scalar, negative for an unknown one of an array."""

    dtype: str
    dims: int = 0

    def text(self, column_major: bool = False) -> str:
        """The Numba type as text, with `[?]` for an unknown number of dimensions."""
        if self.dims < 0:
            return f"{self.dtype}{OF_SOME_DIMENSIONS}"
        return array_type(self.dtype, self.dims, column_major) if self.dims else self.dtype


class HostTypes:
    """The types of expressions in one host function."""

    def __init__(self, scope: HostScope) -> None:
        self.scope, self.module = scope, scope.module

    def of_arguments(self, arguments: Sequence[ast.expr]) -> tuple[str | None, ...]:
        """The Numba type of each argument as text, None where the source does not show it."""
        orders = ArrayOrders(self.scope)
        return tuple(_text(self.of(argument), orders, argument) for argument in arguments)

    def of(self, node: ast.expr, depth: int = _DEPTH) -> HostType | None:
        """The type of an expression, None where the source does not show it."""
        if depth == 0:
            return None
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        found: HostType | None = method(node, depth - 1) if method else None
        return found

    def _of_constant(self, node: ast.Constant, _: int) -> HostType | None:
        kinds = {bool: "boolean", int: "int64", float: "float64", complex: "complex128"}
        name = kinds.get(type(node.value))
        return HostType(name) if name else None

    def _of_name(self, node: ast.Name, depth: int) -> HostType | None:
        function = self.scope.function
        values: Sequence[ast.expr | None] | None = None
        if function is not None:
            values = reaching_values(self.module, function, node.id, node)
            if not values and any(argument.arg == node.id for argument in function.args.args):
                return self._elsewhere(values_given(self.module, function, node.id), depth)
        else:
            values = reaching_in_module(self.module, node.id, node)
        return self._agreed(values or self.module.assigned.get(node.id, []), depth)

    def _agreed(self, values: Sequence[ast.expr | None], depth: int) -> HostType | None:
        return _one_of({None if value is None else self.of(value, depth) for value in values})

    def _of_ifexp(self, node: ast.IfExp, depth: int) -> HostType | None:
        return self._agreed([node.body, node.orelse], depth)

    def _of_unaryop(self, node: ast.UnaryOp, depth: int) -> HostType | None:
        return None if isinstance(node.op, ast.Not) else self.of(node.operand, depth)

    def _of_binop(self, node: ast.BinOp, depth: int) -> HostType | None:
        left, right = self.of(node.left, depth), self.of(node.right, depth)
        if left is None or right is None:
            return None
        if left.dims == right.dims == 0 and {left.dtype, right.dtype} <= {"int64", "float64"}:
            whole = left == right == HostType("int64") and not isinstance(node.op, ast.Div)
            return HostType("int64" if whole else "float64")
        for array, other, written in ((left, right, node.right), (right, left, node.left)):
            # A Python number does not change the dtype of a float array (NEP 50).
            if array.dims and not other.dims and _is_number(written) and "float" in array.dtype:
                return array
        if left.dtype != right.dtype or "float" not in left.dtype:
            return None
        return left if left == right else HostType(left.dtype, _SOME) if left.dims and right.dims else None

    def _of_attribute(self, node: ast.Attribute, depth: int) -> HostType | None:
        if node.attr == "T":
            return self.of(node.value, depth)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self._of_own_attribute(node.attr, depth)
        return HostType("int64") if node.attr in ("size", "ndim") and self.of(node.value, depth) else None

    def _of_own_attribute(self, name: str, depth: int) -> HostType | None:
        """The type that all values have which the methods of the class assign to an attribute of `self`; what
        is made of the attribute itself, as its copy on the device, has the type that it had.
        """
        owner = enclosing_class(self.module, self.scope.function)
        values = values_of_attribute(self.module, owner, name) if owner else []
        return self._elsewhere([one for one in values if not _made_of(one[1], name)], depth)

    def _elsewhere(
        self, values: Sequence[tuple[FunctionNode | None, ast.expr | None]], depth: int
    ) -> HostType | None:
        """The type that values of other functions of the module agree on."""
        workspace = self.scope.workspace
        found = {
            HostTypes(HostScope(self.module, function, workspace)).of(value, depth) if value else None
            for function, value in values
        }
        return _one_of(found)

    def _of_subscript(self, node: ast.Subscript, _: int) -> HostType | None:
        size = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        return HostType("int64") if size and not isinstance(node.slice, ast.Slice) else None

    def _of_call(self, node: ast.Call, depth: int) -> HostType | None:
        dotted = self.module.dotted(node.func)
        if dotted is not None:
            dotted = self.scope.workspace.library_name(dotted, self.module)
        member = cuda_member(dotted)
        name = str(dotted or getattr(node.func, "attr", "")).rpartition(".")[2]
        if dotted in ("len", "int", "float"):
            return HostType("float64" if dotted == "float" else "int64")
        if member is not None or (dotted or "").startswith(("numpy.", "cupy.")):
            return self._of_library(name, node, ".random." in (dotted or ""), depth)
        if isinstance(node.func, ast.Attribute):
            return self._of_method(name, node, node.func.value, depth)
        return None

    def _of_library(self, name: str, node: ast.Call, random: bool, depth: int) -> HostType | None:
        first = node.args[0] if node.args else None
        if random:
            return self._of_random(name, node, depth)
        if name in _FILLED or name == "full":
            at = 2 if name == "full" else 1
            shape = first if first is not None else keyword_value(node, "shape")
            given = keyword_value(node, "dtype") or (node.args[at] if len(node.args) > at else None)
            dtype = self.dtype(given) if given is not None else None if name == "full" else "float64"
            return self._array(dtype, self.dimensions(shape, depth) or _SOME)
        if name in _DTYPES and first is not None:
            inner = self.of(first, depth)
            return None if inner is None else HostType(_DTYPES[name], inner.dims)
        if name in ("linspace", "arange"):
            return self._of_steps(name, node, depth)
        if name in _SAME | _ALIKE and first is not None:
            inner = self._listed(first, depth) if isinstance(first, ast.List) else self.of(first, depth)
            given = keyword_value(node, "dtype")
            if given is None:
                return inner
            return self._array(self.dtype(given), inner.dims if inner else _SOME)
        return None

    def _of_steps(self, name: str, node: ast.Call, depth: int) -> HostType | None:
        given = keyword_value(node, "dtype")
        if given is not None:
            return self._array(self.dtype(given), 1)
        if name == "linspace":
            return HostType("float64", 1)
        parts = {self.of(argument, depth) for argument in node.args}
        if parts <= {HostType("int64"), HostType("float64")}:
            return HostType("int64" if parts == {HostType("int64")} else "float64", 1)
        return None

    def _of_random(self, name: str, node: ast.Call, depth: int) -> HostType | None:
        if name in ("rand", "randn"):
            return HostType("float64", len(node.args))
        given = keyword_value(node, "dtype")
        dtype = self.dtype(given) if given is not None else "float64" if name in _DRAWN_FLOATS else None
        if draws_one(node, name):
            scalars = [self.of(one, depth) for one in parameters_drawn_with(node)]
            numbers = all(one is not None and not one.dims for one in scalars)
            return HostType(dtype or "int64") if numbers and (dtype or name in _DRAWN_INTEGERS) else None
        return self._array(dtype, self.dimensions(size_drawn(node, name), depth))

    def _of_method(self, name: str, node: ast.Call, owner: ast.expr, depth: int) -> HostType | None:
        if name in _DRAWN_FLOATS | _DRAWN_INTEGERS and self.scope.is_generator(owner):
            return self._of_random(name, node, depth)
        inner = self.of(owner, depth)
        if name == "astype" and node.args:
            return self._array(self.dtype(node.args[0]), inner.dims if inner else _SOME)
        if inner is None or not inner.dims:
            return None
        if name in _FLAT:
            return HostType(inner.dtype, 1)
        if name == "reshape":
            dims = len(node.args) if len(node.args) > 1 else self.dimensions(node.args[0], depth)
            return self._array(inner.dtype, dims)
        return inner if name == "copy" or (name == "transpose" and not node.args) else None

    def _listed(self, node: ast.List, _: int) -> HostType | None:
        dims, inner = 1, node.elts[0] if node.elts else None
        while isinstance(inner, ast.List):
            dims, inner = dims + 1, inner.elts[0] if inner.elts else None
        kinds = {type(item.value) for item in below(node) if isinstance(item, ast.Constant)}
        if not kinds or not kinds <= {int, float}:
            return None
        return HostType("float64" if float in kinds else "int64", dims)

    def _array(self, dtype: str | None, dims: int | None) -> HostType | None:
        return HostType(dtype, dims) if dtype and dims else None

    def dtype(self, node: ast.expr) -> str | None:
        """The Numba name of a dtype expression, None where it is not one that is known."""
        if isinstance(node, ast.Constant):
            return _DTYPES.get(node.value) if isinstance(node.value, str) else None
        dotted = self.module.dotted(node)
        if dotted is None:
            return None
        dotted = self.scope.workspace.library_name(dotted, self.module)
        if "." not in dotted and dotted not in ("float", "int", "bool", "complex"):
            values = self.scope.bound(self.module, self.scope.function, dotted)
            return self.dtype(values[0]) if len(values) == 1 and not isinstance(values[0], ast.Name) else None
        known = dotted.startswith(("numpy.", "cupy.", "numba.")) or "." not in dotted
        return _DTYPES.get(dotted.rpartition(".")[2]) if known else None

    def dimensions(self, node: ast.expr | None, depth: int) -> int | None:
        """The number of dimensions that a shape expression gives, None where it is not seen."""
        if node is None or depth == 0:
            return None
        if isinstance(node, ast.Tuple | ast.List):
            starred = any(isinstance(item, ast.Starred) for item in node.elts)
            return None if starred else len(node.elts)
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            inner = self.of(node.value, depth)
            return inner.dims if inner and inner.dims > 0 else None
        if isinstance(node, ast.Name):
            values = self.scope.bound(self.module, self.scope.function, node.id)
            found = {self.dimensions(value, depth - 1) for value in values}
            return found.pop() if len(found) == 1 else None
        return 1 if self.of(node, depth) == HostType("int64") else None


def _text(known: HostType | None, orders: ArrayOrders, argument: ast.expr) -> str | None:
    order = orders.of(argument) if known is not None and known.dims not in (0, 1) else None
    if known is None or order == "unknown" or (order == "F" and known.dims < 0):
        return None
    return known.text(column_major=order == "F")


def _one_of(types: set[HostType | None]) -> HostType | None:
    """The type of what has one of several: of arrays it is known when their elements are alike."""
    if len(types) == 1:
        return types.pop()
    elements = {one.dtype if one is not None and one.dims else None for one in types}
    element = elements.pop() if len(elements) == 1 else None
    return HostType(element, _SOME) if element else None


def _is_number(node: ast.expr) -> bool:
    """Whether a number is written out."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _made_of(value: ast.expr, attribute: str) -> bool:
    """Whether a value is a copy or conversion of what `self.attribute` is."""
    if not isinstance(value, ast.Call):
        return False
    name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
    if name not in _KEEPS or keyword_value(value, "dtype") is not None:
        return False
    given = [*value.args[:1], value.func.value] if isinstance(value.func, ast.Attribute) else value.args[:1]
    return any(ast.unparse(one) == f"self.{attribute}" for one in given)
