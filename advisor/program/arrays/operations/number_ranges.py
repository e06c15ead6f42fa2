"""Between which numbers the result of arithmetic lies, by what its operands lie between."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from advisor.program.arrays.host_values import OTHER, Array, Items, Number, Value

Bound: TypeAlias = "int | float | None"
Bounds: TypeAlias = "tuple[Bound, Bound]"

_NONE: Bounds = (None, None)
_PYTHON_TYPES = {bool: "boolean", int: "int64", float: "float64", complex: "complex128"}
# Sizes beyond these are no sizes, and would take long to multiply.
_MOST = 1 << 63
_MOST_SHIFT = 64
# The results of these lie between those of the ends of the operands; of a division, where it is not by 0.
_BETWEEN_ENDS: dict[type[ast.operator], Callable[..., int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_OF_ONE_VALUE: dict[type[ast.operator], Callable[..., int | float]] = {
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
# Functions that never fall where their argument grows, with the dtype of what they give a number.
_RISING: dict[str, tuple[Callable[..., int | float], str]] = {
    "int": (int, "int64"),
    "float": (float, "float64"),
    "math.ceil": (math.ceil, "int64"),
    "math.floor": (math.floor, "int64"),
    "math.trunc": (math.trunc, "int64"),
    "math.sqrt": (math.sqrt, "float64"),
    "math.isqrt": (math.isqrt, "int64"),
    "math.log2": (math.log2, "float64"),
}
# NumPy's of these give floats.
_NUMPYS_RISING: dict[str, Callable[..., int | float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "sqrt": math.sqrt,
}


# What makes a number of one value, by its name.
FUNCTIONS = frozenset({"abs", *_RISING, *(f"numpy.{name}" for name in _NUMPYS_RISING)})


def bounds_of_operation(operation: ast.operator, left: Number, right: Number) -> Bounds:
    """The bounds of a binary operation on two numbers; None on a side where there is none that is known."""
    kind = type(operation)
    if left.value is not None and right.value is not None and kind in _OF_ONE_VALUE:
        found = _one_value(kind, left.value, right.value)
        return found, found
    if kind is ast.Mod and _whole(left, right) and right.value is not None and right.value > 0:
        return 0, right.value - 1
    if kind in (ast.Add, ast.Sub):
        # Each side of these asks for one end of either operand.
        first, last = (right.low, right.high) if kind is ast.Add else (right.high, right.low)
        return _checked(_BETWEEN_ENDS[kind], left.low, first), _checked(_BETWEEN_ENDS[kind], left.high, last)
    if kind is ast.FloorDiv and not _whole(left, right):
        return _NONE
    if kind not in _BETWEEN_ENDS:
        return _NONE
    if kind in (ast.Div, ast.FloorDiv):
        return _quotient(_BETWEEN_ENDS[kind], left, right)
    ends = [_checked(_BETWEEN_ENDS[kind], *pair) for pair in product(_ends(left), _ends(right))]
    known = [one for one in ends if one is not None]
    if len(known) == len(ends):
        return min(known), max(known)
    if kind is ast.Mult and _positive(left) and _positive(right):
        return _checked(operator.mul, left.low, right.low), None
    return _NONE


def _quotient(divide: Callable[..., int | float], left: Number, right: Number) -> Bounds:
    """The bounds of a division by numbers above 0."""
    if right.low is None or right.low <= 0:
        return _NONE

    def end(of: Bound, nearer: Bound, farther: Bound) -> Bound:
        """The quotient of an end: what is farther from 0 comes of the smallest divisor."""
        if of is None:
            return None
        divisor = nearer if of >= 0 else farther
        return 0 if divisor is None and of >= 0 else _checked(divide, of, divisor)

    low = end(left.low, right.high, right.low)
    high = (
        None
        if left.high is None
        else _checked(divide, left.high, right.low if left.high >= 0 else right.high)
    )
    return low, high


def least(numbers: Sequence[Number]) -> Bounds:
    """The bounds of the smallest of several numbers."""
    lows, highs = [one.low for one in numbers], [one.high for one in numbers]
    known = [one for one in highs if one is not None]
    low = None if None in lows else min(one for one in lows if one is not None)
    return low, min(known, default=None)


def largest(numbers: Sequence[Number]) -> Bounds:
    """The bounds of the largest of several numbers."""
    lows, highs = [one.low for one in numbers], [one.high for one in numbers]
    known = [one for one in lows if one is not None]
    high = None if None in highs else max(one for one in highs if one is not None)
    return max(known, default=None), high


def of_function(name: str, value: Value) -> Number | None:
    """What a function of one number gives, None for a name that is none of these functions."""
    if name == "abs" and isinstance(value, Number):
        return _absolute(value)
    if name in _RISING:
        function, dtype = _RISING[name]
        low, high = _risen(function, value)
        return Number(dtype, low, high)
    library, _, member = name.rpartition(".")
    if library != "numpy" or member not in _NUMPYS_RISING or not isinstance(value, Number):
        return None
    if value.dtype not in ("int64", "float64"):
        return None
    low, high = _risen(lambda one: float(_NUMPYS_RISING[member](one)), value)
    # Of whole numbers NumPy 2.1 and newer round to whole numbers, others to floats.
    known = value.dtype == "float64" or member == "sqrt"
    return Number("float64" if known else None, low, high, python=False)


def length(value: Value) -> Number:
    """What `len` gives for a value."""
    if isinstance(value, Items) and value.fixed:
        return Number("int64", len(value.items), len(value.items))
    if isinstance(value, Array) and value.sizes and not value.element:
        return replace(value.sizes[0], dtype="int64", python=True)
    return Number("int64")


def _absolute(value: Number) -> Number:
    ends = _ends(value)
    if None in ends:
        return replace(value, low=None, high=None)
    low, high = sorted(abs(one) for one in ends if one is not None)
    passes_zero = value.low is not None and value.high is not None and value.low < 0 < value.high
    return replace(value, low=0 if passes_zero else low, high=high)


def _risen(function: Callable[..., int | float], value: Value) -> Bounds:
    if not isinstance(value, Number):
        return _NONE
    return _checked(function, value.low), _checked(function, value.high)


def _ends(number: Number) -> tuple[Bound, Bound]:
    return number.low, number.high


def _whole(*numbers: Number) -> bool:
    return all(one.dtype in ("int64", "boolean") for one in numbers)


def _positive(number: Number) -> bool:
    return number.low is not None and number.low >= 0


def _one_value(kind: type[ast.operator], left: int | float, right: int | float) -> Bound:
    if kind in (ast.Pow, ast.LShift) and not 0 <= right <= _MOST_SHIFT:
        return None
    if kind is ast.Mod and right == 0:
        return None
    return _checked(_OF_ONE_VALUE[kind], left, right)


def _checked(function: Callable[..., int | float], *operands: Bound) -> Bound:
    """What a function gives for known operands, None where it gives no number of a size that sizes have."""
    if any(one is None for one in operands):
        return None
    try:
        found = function(*operands)
    except (ArithmeticError, ValueError, TypeError):
        return None
    known = not isinstance(found, complex) and math.isfinite(found) and abs(found) < _MOST
    return found if known else None


def constant_value(node: ast.Constant) -> Value:
    """The value of a constant that is written."""
    dtype = _PYTHON_TYPES.get(type(node.value))
    if dtype is None:
        return OTHER
    value = node.value if isinstance(node.value, int | float) else None
    return Number(dtype, value, value)


def signed(sign: ast.unaryop, value: Number) -> Bounds:
    """The bounds of a number with a sign before it; nothing is known behind `~`."""
    if isinstance(sign, ast.UAdd):
        return value.low, value.high
    if not isinstance(sign, ast.USub):
        return None, None
    return None if value.high is None else -value.high, None if value.low is None else -value.low
