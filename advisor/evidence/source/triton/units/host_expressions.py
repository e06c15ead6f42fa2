"""Expressions of host code with made-up sizes."""

from __future__ import annotations

import ast
import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from advisor.evidence.source.triton.names import TritonNames
from advisor.evidence.source.triton.units.host_values import (
    BYTES,
    TYPES,
    Array,
    Dictionary,
    DType,
    Host,
    Nothing,
    Sizes,
    contiguous,
    is_number,
)
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.constant_folding import UNKNOWN, binary, compare
from advisor.program.values.constants import Constants


class Expressions:
    """The values of expressions; `env` has those of names."""

    def __init__(
        self, module: ModuleSyntax, workspace: Workspace, names: TritonNames, sizes: Sizes, depth: int
    ) -> None:
        self.module, self.workspace, self.names, self.sizes, self.depth = (
            module,
            workspace,
            names,
            sizes,
            depth,
        )
        self.env: dict[str, Host] = {}
        self.taken: dict[str, Host] = {}
        self._axes: dict[str, int] = {}
        self._constants = Constants(workspace, module, None)

    def look_ahead(self, scope: ast.AST) -> None:
        """Note how many axes the code gives to arrays: by `a, b = x.shape` and `x.stride(2)`."""
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                name = _array_asked(node.value)
                if name and not any(isinstance(one, ast.Starred) for one in node.targets[0].elts):
                    self._more_axes(name, len(node.targets[0].elts))
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
                if node.value.attr == "shape" and (at := _index(node.slice)) is not None:
                    self._more_axes(ast.unparse(node.value.value), at + 1 if at >= 0 else -at)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                asks = node.func.attr in ("size", "stride")
                if asks and (at := _index(node.args[0])) is not None:
                    self._more_axes(ast.unparse(node.func.value), at + 1 if at >= 0 else -at)

    def _more_axes(self, name: str, axes: int) -> None:
        self._axes[name] = max(axes, self._axes.get(name, 0))

    def is_open(self, name: str) -> bool:
        """Whether a name is an argument of which nothing tells how many axes it has, if it is an array."""
        return isinstance(self.env.get(name), Nothing) and name not in self._axes

    def value(self, node: ast.expr) -> Host:
        """The value of an expression."""
        method: Callable[[ast.expr], Host] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            return Nothing(ast.unparse(node))
        try:
            return method(node)
        except (ValueError, TypeError, ArithmeticError, IndexError, OverflowError):
            return Nothing(ast.unparse(node))

    def number(self, value: Host) -> Host:
        """A number for what nothing tells and arithmetic is done with; other values as they are."""
        if not isinstance(value, Nothing) or not value.name:
            return value
        if value.name not in self.taken:
            taken: Host = self.sizes.numbers
            if "bool" in value.annotation:
                taken = self.sizes.truths
            elif "float" in value.annotation:
                taken = 0.5
            self.taken[value.name] = taken
        return self.taken[value.name]

    def array(self, value: Host) -> Array | None:
        """The array that a value is, or is taken to be where nothing tells what it is."""
        if isinstance(value, Array):
            return value
        if isinstance(value, Nothing) and value.name:
            axes = self._axes.get(value.name, 1)
            return contiguous(self.sizes.shape(axes))
        return None

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds, None where nothing tells."""
        value = self.value(node)
        if isinstance(value, bool) or is_number(value) or value is None or isinstance(value, str | tuple):
            return bool(value)
        return None

    def _constant(self, node: ast.Constant) -> Host:
        return node.value

    def _name(self, node: ast.Name) -> Host:
        if node.id in self.env:
            return self.env[node.id]
        if (known := self.names.of(node)) is not None:
            return _library_type(known)
        value = self._constants.value(node)
        return Nothing(node.id) if value is UNKNOWN else value

    def _tuple(self, node: ast.Tuple | ast.List) -> Host:
        found: list[Host] = []
        for one in node.elts:
            if isinstance(one, ast.Starred):
                items = self.value(one.value)
                if not isinstance(items, tuple):
                    return Nothing(ast.unparse(node))
                found += items
            else:
                found.append(self.value(one))
        return tuple(found)

    _list = _tuple

    def _dict(self, node: ast.Dict) -> Host:
        found = Dictionary()
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.items[key.value] = self.value(value)
        return found

    def _lambda(self, node: ast.Lambda) -> Host:
        return node

    def _binop(self, node: ast.BinOp) -> Host:
        left, right = self.value(node.left), self.value(node.right)
        for one in (left, right):
            if isinstance(one, Array):
                return one
        if isinstance(left, tuple) or isinstance(right, tuple):
            if isinstance(left, tuple) and isinstance(right, tuple) and isinstance(node.op, ast.Add):
                return left + right
            return Nothing(ast.unparse(node))
        left, right = self.number(left), self.number(right)
        found = binary(node.op, left, right)
        return Nothing(ast.unparse(node)) if found is UNKNOWN else found

    def _unaryop(self, node: ast.UnaryOp) -> Host:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            truth = self.truth(node.operand)
            return Nothing(ast.unparse(node)) if truth is None else not truth
        number = self.number(value)
        if isinstance(node.op, ast.USub) and isinstance(number, int | float):
            return -number
        return value

    def _boolop(self, node: ast.BoolOp) -> Host:
        wanted = isinstance(node.op, ast.Or)
        unknown = False
        value: Host = None
        for one in node.values:
            value = self.value(one)
            truth = self.truth(one)
            if truth is wanted:
                return value
            unknown |= truth is None
        return Nothing(ast.unparse(node)) if unknown else value

    def _ifexp(self, node: ast.IfExp) -> Host:
        truth = self.truth(node.test)
        return self.value(node.orelse if truth is False else node.body)

    def _compare(self, node: ast.Compare) -> Host:
        left, right = self.value(node.left), self.value(node.comparators[-1])
        if len(node.ops) > 1:
            return Nothing(ast.unparse(node))
        operator = node.ops[0]
        if isinstance(operator, ast.Is | ast.IsNot) and right is None:
            # What nothing tells is handed over.
            return (left is None) == isinstance(operator, ast.Is)
        if isinstance(operator, ast.In | ast.NotIn) and isinstance(right, tuple):
            if _is_open(left) or any(_is_open(one) for one in right):
                return Nothing(ast.unparse(node))
            return (left in right) == isinstance(operator, ast.In)
        if _is_open(left) or _is_open(right):
            return Nothing(ast.unparse(node))
        if isinstance(left, DType) and isinstance(right, DType):
            return (left == right) == isinstance(operator, ast.Eq)
        if isinstance(left, tuple) and isinstance(right, tuple):
            return (left == right) == isinstance(operator, ast.Eq)
        found = compare(operator, left, right)
        return Nothing(ast.unparse(node)) if found is UNKNOWN else found

    def _attribute(self, node: ast.Attribute) -> Host:
        written = ast.unparse(node)
        if written in self.env:
            return self.env[written]
        dotted = self.module.dotted(node)
        if (known := self.names.of(node)) is not None:
            return _library_type(known)
        if dotted and dotted.startswith("torch."):
            name = dotted.rpartition(".")[2]
            return DType(TYPES[name]) if name in TYPES else Nothing()
        value = self.value(node.value)
        if node.attr == "multi_processor_count":
            return _PROCESSORS
        if node.attr in ("shape", "ndim", "dtype", "T", "mT", "is_cuda", "device", "data"):
            return self._of_array(value, node.attr)
        fixed = self._constants.value(node)
        return Nothing(written) if fixed is UNKNOWN else fixed

    def _of_array(self, value: Host, name: str) -> Host:
        array = self.array(value)
        if array is None or name == "device":
            return Nothing()
        if name == "shape":
            return array.shape
        if name == "ndim":
            return len(array.shape)
        if name == "dtype":
            return DType(array.dtype)
        if name in ("T", "mT"):
            last = len(array.shape) - 1
            return turned(array, last - 1, last) if last > 0 else array
        return True if name == "is_cuda" else array

    def _subscript(self, node: ast.Subscript) -> Host:
        value, index = self.value(node.value), node.slice
        if isinstance(value, Dictionary):
            key = self.value(index)
            return value.items.get(key, Nothing()) if isinstance(key, str) else Nothing()
        if isinstance(value, tuple):
            if isinstance(index, ast.Slice):
                bounds: list[Any] = [
                    None if one is None else self.value(one) for one in (index.lower, index.upper, index.step)
                ]
                if all(one is None or type(one) is int for one in bounds):
                    return value[slice(*bounds)]
                return Nothing(ast.unparse(node))
            at = self.value(index)
            return value[at] if isinstance(at, int) else Nothing(ast.unparse(node))
        return Nothing(ast.unparse(node))

    def _call(self, node: ast.Call) -> Host:
        return self.called(node)

    @abstractmethod
    def called(self, node: ast.Call) -> Host:
        """The value of a call."""


# Multiprocessors of an A100, for programs that ask for them.
_PROCESSORS = 108


def turned(array: Array, one: int, other: int) -> Array:
    """An array with two of its axes exchanged."""
    order = list(range(len(array.shape)))
    order[one], order[other] = order[other], order[one]
    return Array(
        tuple(array.shape[axis] for axis in order), tuple(array.strides[axis] for axis in order), array.dtype
    )


def element_bytes(array: Array) -> int:
    """The bytes of an element, those of float32 where nothing tells the type."""
    return BYTES.get(array.dtype, 4)


def whole(value: Host) -> int:
    """A whole number; raises ValueError for another value."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("no whole number")
    return value


def product(shape: tuple[int, ...]) -> int:
    """How many elements a shape has."""
    return math.prod(shape)


def _is_open(value: Host) -> bool:
    """Whether nothing tells a value; so it is of the type of an array that nothing tells."""
    return isinstance(value, Nothing) or (isinstance(value, DType) and not value.name)


def _library_type(name: str) -> Host:
    last = name.rpartition(".")[2]
    return DType(TYPES[last]) if name.startswith("tl.") and last in TYPES else Nothing()


def _array_asked(node: ast.expr) -> str | None:
    """The array whose shape or strides an expression is."""
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return ast.unparse(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return ast.unparse(node.func.value) if node.func.attr in ("size", "stride") else None
    return None


def _index(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        at = _index(node.operand)
        return None if at is None else -at
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
