"""Values of constant expressions, with their exact types: what Python and NumPy would compute, nothing else run."""

from __future__ import annotations

import ast
import cmath
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from advisor.facts.library_names import NUMBA_TYPES
from advisor.facts.literal_text import LibraryName
from advisor.facts.meanings import BuiltinName, ConstantName, Meaning, UnknownName

_LARGEST_SIZE = 1 << 16
_LARGEST_SHIFT = 256

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_BUILTINS: dict[str, Callable[..., Any]] = {
    "int": int, "float": float, "complex": complex, "bool": bool, "abs": abs, "min": min, "max": max, "round": round,
    "len": len, "tuple": tuple, "list": list, "sum": sum, "pow": pow,
}  # fmt: skip
_NUMPY_FUNCTIONS = frozenset(
    "array asarray zeros ones full arange linspace sqrt cbrt exp log log2 log10 sin cos tan arcsin arccos arctan arctan2 "
    "deg2rad rad2deg radians degrees ceil floor rint power abs absolute prod sum max min dtype cumsum diff finfo iinfo "
    "ascontiguousarray transpose outer dot sinh cosh tanh hypot".split()
)  # fmt: skip
_BOUNDED = frozenset({"zeros", "ones", "full", "arange", "linspace", "outer"})
_VALUE_ATTRIBUTES = frozenset({"shape", "size", "ndim", "real", "imag", "eps", "max", "min", "tiny", "value", "T", "dtype"})
_VALUE_METHODS = frozenset({"astype", "copy", "reshape", "sum", "min", "max", "item", "flatten", "ravel", "bit_length", "index"})


class Undetermined(Exception):
    """An expression whose value the source does not fix; `reason` is a noun phrase for a message."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ConstantValues:
    """Evaluates expressions made of literals, known names, and functions of Python, math and NumPy.

    `resolve` gives the meaning of a dotted name and how many of its parts that takes.
    """

    def __init__(self, resolve: Callable[[Sequence[str]], tuple[Meaning, int]]) -> None:
        self._resolve = resolve

    def value(self, node: ast.expr) -> Any:
        """The value, library types as LibraryName; raises Undetermined."""
        method = getattr(self, f"of_{type(node).__name__.lower()}", None)
        if method is None:
            raise Undetermined("not a constant expression")
        try:
            return _without_types(method(node))
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as problem:
            raise Undetermined("not a constant expression") from problem

    def of_constant(self, node: ast.Constant) -> object:
        if isinstance(node.value, bytes) or node.value is ...:
            raise Undetermined("not a constant expression")
        return node.value

    def of_tuple(self, node: ast.Tuple) -> object:
        return tuple(self.value(item) for item in node.elts)

    def of_list(self, node: ast.List) -> object:
        return [self.value(item) for item in node.elts]

    def of_name(self, node: ast.Name) -> object:
        return self._dotted([node.id])

    def of_attribute(self, node: ast.Attribute) -> object:
        parts: list[str] = [node.attr]
        inner = node.value
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            return self._dotted([inner.id, *reversed(parts)])
        return _value_attribute(self.value(node.value), node.attr)

    def _dotted(self, parts: Sequence[str]) -> object:
        meaning, used = self._resolve(parts)
        value = _value_of(meaning)
        for name in parts[used:]:
            value = _value_attribute(value, name)
        return value

    def of_unaryop(self, node: ast.UnaryOp) -> object:
        return _UNARY[type(node.op)](_plain(self.value(node.operand)))

    def of_binop(self, node: ast.BinOp) -> object:
        left, right = _plain(self.value(node.left)), _plain(self.value(node.right))
        if isinstance(node.op, ast.Pow | ast.LShift) and isinstance(right, int) and abs(right) > _LARGEST_SHIFT:
            raise Undetermined("too large a number")
        if isinstance(node.op, ast.Mult) and isinstance(left, tuple | list | str) and len(left) * right > _LARGEST_SIZE:
            raise Undetermined("too large a sequence")
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            raise Undetermined("formatted text")
        return _BINARY[type(node.op)](left, right)

    def of_boolop(self, node: ast.BoolOp) -> object:
        result: object = None
        for item in node.values:
            result = self.value(item)
            if bool(result) is isinstance(node.op, ast.Or):
                return result
        return result

    def of_compare(self, node: ast.Compare) -> object:
        left = _plain(self.value(node.left))
        for comparison, item in zip(node.ops, node.comparators, strict=True):
            right = _plain(self.value(item))
            if not _COMPARE[type(comparison)](left, right):
                return False
            left = right
        return True

    def of_ifexp(self, node: ast.IfExp) -> object:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def of_subscript(self, node: ast.Subscript) -> object:
        value = _plain(self.value(node.value))
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            return value[slice(*(None if bound is None else self.value(bound) for bound in bounds))]
        return value[_plain(self.value(node.slice))]

    def of_call(self, node: ast.Call) -> Any:
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
        return {keyword.arg: _numpy_object(self.value(keyword.value)) for keyword in node.keywords if keyword.arg}

    def _callee(self, node: ast.expr) -> Callable[..., Any]:
        meaning, used = self._resolve(_parts(node))
        if used != len(_parts(node)):
            raise Undetermined("the result of a call")
        if isinstance(meaning, BuiltinName) and meaning.name in _BUILTINS:
            return _BUILTINS[meaning.name]
        if isinstance(meaning, LibraryName):
            return _library_function(meaning.dotted)
        raise Undetermined("the result of a call")


def _without_types(value: Any) -> Any:
    """NumPy's own types and dtypes as the library names they have."""
    if isinstance(value, np.dtype):
        return LibraryName(f"numpy.{value.name}") if value.kind in "biufc" else value
    return value


def _parts(node: ast.expr) -> list[str]:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise Undetermined("the result of a call")
    return [node.id, *reversed(parts)]


def _value_of(meaning: Meaning) -> object:
    if isinstance(meaning, LibraryName):
        constant = library_constant(meaning.dotted)
        return meaning if constant is None else constant
    if isinstance(meaning, ConstantName):
        return meaning.value
    raise Undetermined(meaning.reason if isinstance(meaning, UnknownName) else "not a constant")


def library_constant(dotted: str) -> object | None:
    """The number behind `math.pi`, `numpy.inf` and the like, None for every other library name."""
    root, _, name = dotted.rpartition(".")
    owner = {"math": math, "cmath": cmath, "numpy": np, "cupy": np}.get(root)
    value = getattr(owner, name, None) if owner is not None else None
    return value if isinstance(value, int | float | complex) else None


def numpy_type_name(dotted: str) -> str | None:
    """The NumPy scalar type, as `float32`, behind a library name of numpy, cupy or numba; None for others."""
    root, _, name = dotted.rpartition(".")
    if root in ("numba", "numba.types", "numba.core.types") and name in NUMBA_TYPES:
        name = {"boolean": "bool_"}.get(name, name)
    elif root not in ("numpy", "cupy"):
        return None
    kind = getattr(np, name, None)
    return name if isinstance(kind, type) and issubclass(kind, np.generic) else None


def _library_function(dotted: str) -> Callable[..., Any]:
    root, _, name = dotted.rpartition(".")
    if root in ("math", "cmath"):
        function: Callable[..., Any] = getattr(math if root == "math" else cmath, name)
        return function
    kind = numpy_type_name(dotted)
    if kind is not None:
        scalar: Callable[..., Any] = getattr(np, kind)
        return scalar
    if root == "numpy" and name in _NUMPY_FUNCTIONS:
        return _bounded(name) if name in _BOUNDED else getattr(np, name)  # type: ignore[no-any-return]
    raise Undetermined("the result of a call")


def _bounded(name: str) -> Callable[..., Any]:
    def limited(*arguments: Any, **keywords: Any) -> Any:
        sizes = [keywords.get("shape"), keywords.get("num"), *arguments]
        flat = [int(n) for size in sizes if isinstance(size, int | tuple) for n in np.atleast_1d(size)]
        if math.prod(max(abs(size), 1) for size in flat) > _LARGEST_SIZE:
            raise Undetermined("too large an array")
        return getattr(np, name)(*arguments, **keywords)

    return limited


def _numpy_object(value: Any) -> Any:
    """A library type as the NumPy type it names, so that NumPy functions can take it as `dtype`."""
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
    if name in _VALUE_ATTRIBUTES and isinstance(value, np.ndarray | np.generic | int | float | complex | np.finfo | np.iinfo):
        return getattr(value, name)
    raise Undetermined("an attribute of a value")
