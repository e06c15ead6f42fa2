"""Values of constant expressions with their exact types, as Python and NumPy would compute them."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.program.resolution.library_values import (
    LARGEST_BITS,
    LARGEST_SIZE,
    Undetermined,
    library_constant,
    library_function,
    numpy_type_name,
)
from advisor.program.resolution.literal_text import LibraryName
from advisor.program.resolution.meanings import BuiltinName, ConstantName, FunctionName, Meaning, UnknownName
from advisor.program.syntax.operators import ARITHMETIC, COMPARISONS
from advisor.program.syntax.tree_nodes import dotted_parts

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip
_COMPARE = {**COMPARISONS, ast.Is: operator.is_, ast.IsNot: operator.is_not}
_BUILTINS: dict[str, Callable[..., Any]] = {
    "int": int, "float": float, "complex": complex, "bool": bool, "abs": abs, "min": min, "max": max,
    "round": round, "len": len, "tuple": tuple, "list": list, "sum": sum,
}  # fmt: skip
_VALUE_ATTRIBUTES = frozenset(
    {"shape", "size", "ndim", "real", "imag", "eps", "max", "min", "tiny", "value", "T", "dtype"}
)
_VALUE_METHODS = frozenset(
    {"astype", "copy", "reshape", "sum", "min", "max", "item", "flatten", "ravel", "bit_length", "index"}
)
_NUMERIC = (np.ndarray, np.generic, int, float, complex, np.finfo, np.iinfo)


class ConstantValues:
    """Evaluates expressions made of literals, known names, and functions of Python, math and NumPy.

    `resolve` gives the meaning of a dotted name and how many of its parts that takes; `inside` the evaluator
    for the body of a function of the workspace, of which only `return <constant expression>` is followed.
    """

    def __init__(
        self,
        resolve: Callable[[Sequence[str]], tuple[Meaning, int]],
        inside: Callable[[FunctionName], ConstantValues],
    ) -> None:
        self._resolve = resolve
        self._inside = inside

    def value(self, node: ast.expr) -> Any:
        """The value, library types as LibraryName; raises Undetermined."""
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if method is None:
            raise Undetermined("not a constant expression")
        try:
            return _without_types(method(node))
        except (
            ArithmeticError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            RecursionError,
        ) as problem:
            raise Undetermined("not a constant expression") from problem

    def _of_constant(self, node: ast.Constant) -> object:
        if isinstance(node.value, bytes) or node.value is ...:
            raise Undetermined("not a constant expression")
        return node.value

    def _of_tuple(self, node: ast.Tuple) -> object:
        return tuple(self.value(item) for item in node.elts)

    def _of_list(self, node: ast.List) -> object:
        return [self.value(item) for item in node.elts]

    def _of_dict(self, node: ast.Dict) -> object:
        if any(key is None for key in node.keys):
            raise Undetermined("not a constant expression")
        return _Table(
            {self.value(key): value for key, value in zip(node.keys, node.values, strict=True) if key}, self
        )

    def _of_name(self, node: ast.Name) -> object:
        return self._dotted([node.id])

    def _of_attribute(self, node: ast.Attribute) -> object:
        parts = dotted_parts(node)
        return self._dotted(parts) if parts else _value_attribute(self.value(node.value), node.attr)

    def _dotted(self, parts: Sequence[str]) -> object:
        meaning, used = self._resolve(parts)
        value = _value_of(meaning)
        for name in parts[used:]:
            value = _value_attribute(value, name)
        return value

    def _of_unaryop(self, node: ast.UnaryOp) -> object:
        return _UNARY[type(node.op)](_plain(self.value(node.operand)))

    def _of_binop(self, node: ast.BinOp) -> object:
        left, right = _plain(self.value(node.left)), _plain(self.value(node.right))
        _refuse_large(node.op, left, right)
        return ARITHMETIC[type(node.op)](left, right)

    def _of_boolop(self, node: ast.BoolOp) -> object:
        result: object = None
        for item in node.values:
            result = self.value(item)
            if bool(result) is isinstance(node.op, ast.Or):
                return result
        return result

    def _of_compare(self, node: ast.Compare) -> object:
        left = _plain(self.value(node.left))
        for comparison, item in zip(node.ops, node.comparators, strict=True):
            right = _plain(self.value(item))
            if not _COMPARE[type(comparison)](left, right):
                return False
            left = right
        return True

    def _of_ifexp(self, node: ast.IfExp) -> object:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _of_subscript(self, node: ast.Subscript) -> object:
        value = _plain(self.value(node.value))
        if isinstance(value, _Table):
            return value.owner.value(value.items[self.value(node.slice)])
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            return value[slice(*(None if bound is None else self.value(bound) for bound in bounds))]
        return value[_plain(self.value(node.slice))]

    def _of_call(self, node: ast.Call) -> Any:
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            keyword.arg is None for keyword in node.keywords
        ):
            raise Undetermined("the result of a call")
        if isinstance(node.func, ast.Attribute):
            method = self._method(node.func)
            if method is not None:
                return method(*self._arguments(node), **self._keywords(node))
        function = self._callee(node.func)
        arguments, keywords = self._arguments(node), self._keywords(node)
        return function(*arguments, **keywords)

    def _method(self, node: ast.Attribute) -> Callable[..., Any] | None:
        """The bound method of a constant array or number, None when the owner is no constant."""
        if node.attr not in _VALUE_METHODS:
            return None
        try:
            owner = self.value(node.value)
        except Undetermined:
            return None
        if isinstance(owner, np.ndarray | np.generic | int | tuple | list):
            method: Callable[..., Any] = getattr(owner, node.attr)
            return method
        return None

    def _arguments(self, node: ast.Call) -> list[Any]:
        return [_numpy_object(self.value(argument)) for argument in node.args]

    def _keywords(self, node: ast.Call) -> dict[str, Any]:
        return {
            keyword.arg: _numpy_object(self.value(keyword.value)) for keyword in node.keywords if keyword.arg
        }

    def _callee(self, node: ast.expr) -> Callable[..., Any]:
        parts = _parts(node)
        meaning, used = self._resolve(parts)
        if used != len(parts):
            raise Undetermined("the result of a call")
        if isinstance(meaning, BuiltinName) and meaning.name in _BUILTINS:
            return _BUILTINS[meaning.name]
        if isinstance(meaning, LibraryName):
            return library_function(meaning.dotted)
        if isinstance(meaning, FunctionName):
            return self._returned(meaning)
        raise Undetermined("the result of a call")

    def _returned(self, function: FunctionName) -> Callable[..., Any]:
        """A function of the workspace without parameters that only returns a constant expression."""
        node, body = function.node, function.node.body
        statements = [item for item in body if not isinstance(item, ast.Expr | ast.Global)]
        only = statements[0] if len(statements) == 1 else None
        if not isinstance(only, ast.Return) or only.value is None or node.decorator_list or node.args.args:
            raise Undetermined("the result of a call")
        expression = only.value
        return lambda: self._inside(function).value(expression)


@dataclass(frozen=True)
class _Table:
    """A dictionary of which single entries are asked for; the others need no value."""

    items: dict[object, ast.expr]
    owner: ConstantValues


def _without_types(value: Any) -> Any:
    """NumPy's own types and dtypes as the library names they have."""
    if isinstance(value, np.dtype):
        return LibraryName(f"numpy.{value.name}") if value.kind in "biufc" else value
    return value


def _parts(node: ast.expr) -> list[str]:
    parts = dotted_parts(node)
    if parts is None:
        raise Undetermined("the result of a call")
    return parts


def _value_of(meaning: Meaning) -> object:
    if isinstance(meaning, LibraryName):
        constant = library_constant(meaning.dotted)
        return meaning if constant is None else constant
    if isinstance(meaning, ConstantName):
        return meaning.value
    raise Undetermined(meaning.reason if isinstance(meaning, UnknownName) else "not a constant")


def _refuse_large(operation: ast.operator, left: Any, right: Any) -> None:
    """Raise Undetermined for an operation whose result could be far larger than its operands."""
    if isinstance(operation, ast.Pow) and isinstance(left, int) and isinstance(right, int):
        large = left.bit_length() * abs(right) > LARGEST_BITS
    elif isinstance(operation, ast.LShift):
        large = abs(right) > LARGEST_BITS
    elif isinstance(left, str | tuple | list) or isinstance(right, str | tuple | list):
        sizes = [
            len(side) if isinstance(side, str | tuple | list) else int(abs(side)) for side in (left, right)
        ]
        large = isinstance(operation, ast.Mod) or math.prod(sizes) > LARGEST_SIZE
    else:
        large = math.prod(np.broadcast_shapes(np.shape(left), np.shape(right))) > LARGEST_SIZE
    if large:
        raise Undetermined("too large a value")


def _numpy_object(value: Any) -> Any:
    """A library type as the NumPy type it names, so that NumPy functions can take it as `dtype`, also within
    the fields of a record.
    """
    if isinstance(value, tuple | list):
        return type(value)(_numpy_object(one) for one in value)
    if isinstance(value, _Table):
        return {name: _numpy_object(value.owner.value(one)) for name, one in value.items.items()}
    if isinstance(value, LibraryName):
        kind = numpy_type_name(value.dotted)
        if kind is None:
            raise Undetermined("not a constant expression")
        return getattr(np, kind)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, LibraryName):
        raise Undetermined("not a constant expression")
    return value


def _value_attribute(value: Any, name: str) -> object:
    if isinstance(value, LibraryName):
        return _value_of(LibraryName(f"{value.dotted}.{name}"))
    if name == "value":
        return value
    if name in _VALUE_ATTRIBUTES and isinstance(value, _NUMERIC):
        return getattr(value, name)
    raise Undetermined("an attribute of a value")
