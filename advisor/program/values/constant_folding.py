"""Arithmetic on values that the source fixes, and what two of them have in common."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.program.syntax.operators import ARITHMETIC, COMPARISONS


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()


@dataclass(frozen=True, slots=True)
class DictValue:
    """The keys and values that a dictionary's display gives it, each key once."""

    items: tuple[tuple[object, object], ...]

    def __bool__(self) -> bool:
        return bool(self.items)

    def at(self, key: object) -> object:
        """The value of a key, UNKNOWN where there is none."""
        return next((value for own, value in self.items if type(own) is type(key) and own == key), UNKNOWN)

    def has(self, key: object) -> bool:
        """Whether it has a key."""
        return any(type(own) is type(key) and own == key for own, _ in self.items)


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object by the values of its fields."""

    fields: tuple[tuple[str, object], ...]

    def field(self, name: str) -> object:
        """The value of a field, UNKNOWN where there is none."""
        return next((value for own, value in self.fields if own == name), UNKNOWN)


LARGEST = 1 << 62
# Tuples are sizes and their like; a longer one is none.
_LONGEST = 64
FUNCTIONS: dict[str, Callable[..., object]] = {
    "int": int, "float": float, "abs": abs, "round": round, "min": min, "max": max, "tuple": tuple,
    "len": len, "bool": bool, "math.sqrt": math.sqrt, "math.ceil": math.ceil, "math.floor": math.floor,
    "math.log": math.log, "math.log2": math.log2, "math.log10": math.log10, "math.pow": math.pow,
    "math.gcd": math.gcd, "math.isqrt": math.isqrt, "numpy.log": math.log, "numpy.log2": math.log2,
    "numpy.log10": math.log10, "numpy.ceil": math.ceil,
    "numpy.floor": math.floor, "numpy.sqrt": math.sqrt, "numpy.int32": int, "numpy.int64": int,
    "numpy.uint32": int,
    "numpy.float32": float, "numpy.float64": float, "numba.int32": int, "numba.int64": int,
    "numba.float32": float,
}  # fmt: skip


def unary(operation: ast.unaryop, value: object) -> object:
    """The value of a unary operation on a known value, UNKNOWN where it has none."""
    if isinstance(operation, ast.Not):
        return not value
    if isinstance(value, int | float) and isinstance(operation, ast.USub):
        return -value
    return value if isinstance(value, int | float) and isinstance(operation, ast.UAdd) else UNKNOWN


def binary(operation: ast.operator, left: object, right: object) -> object:
    """The value of a binary operation on numbers and tuples; UNKNOWN where an operand is, or where it has
    none or a very large one.
    """
    if isinstance(left, tuple):
        if isinstance(right, tuple) and isinstance(operation, ast.Add):
            return left + right if len(left) + len(right) <= _LONGEST else UNKNOWN
        if isinstance(right, int) and isinstance(operation, ast.Mult) and right <= 4:
            return left * right if len(left) * right <= _LONGEST else UNKNOWN
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return UNKNOWN
    if isinstance(operation, ast.Pow | ast.LShift) and abs(right) > 64:
        return UNKNOWN
    try:
        result = ARITHMETIC[type(operation)](left, right)
    except (ArithmeticError, ValueError, TypeError, KeyError):
        return UNKNOWN
    return UNKNOWN if isinstance(result, int) and abs(result) > LARGEST else result


def trip_count(bounds: Sequence[object]) -> int | None:
    """How often a loop over `range` of these bounds runs, None where one is no whole number."""
    whole = [bound for bound in bounds if type(bound) is int]
    if len(whole) != len(bounds) or not 1 <= len(whole) <= 3 or 0 in whole[2:]:
        return None
    return len(range(*whole))


def compare(operation: ast.cmpop, left: object, right: object) -> object:
    """Whether a comparison of two known values holds, UNKNOWN where it cannot be told."""
    if isinstance(operation, ast.Is | ast.IsNot) and UNKNOWN not in (left, right) and None in (left, right):
        return (left is right) is isinstance(operation, ast.Is)
    if is_open(left) or is_open(right) or type(operation) not in COMPARISONS:
        return UNKNOWN
    return COMPARISONS[type(operation)](left, right)


def is_open(value: object) -> bool:
    """Whether a value is unknown, a tuple with something unknown in it, or a dictionary or object: of those
    only items and fields are asked for.
    """
    if isinstance(value, tuple):
        return any(is_open(item) for item in value)
    return value is UNKNOWN or isinstance(value, DictValue | ObjectValue)


def same(left: object, right: object) -> bool:
    """Whether both are known and equal in type and value."""
    return left is not UNKNOWN and type(left) is type(right) and left == right


def merge(left: object, right: object) -> object:
    """What two possible values have in common, tuples part by part."""
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(merge(a, b) for a, b in zip(left, right, strict=True))
    return left if same(left, right) else UNKNOWN


def agreed(values: Sequence[object]) -> object:
    """What several possible values have in common, UNKNOWN for none."""
    if not values:
        return UNKNOWN
    result = values[0]
    for value in values[1:]:
        result = merge(result, value)
    return result


def is_instance(value: object, kind: ast.expr) -> object:
    """Whether a known value is of a type with a built-in name, UNKNOWN for other types."""
    types = {"int": int, "float": float, "tuple": tuple, "list": tuple, "str": str}
    if value is UNKNOWN or not isinstance(kind, ast.Name) or kind.id not in types:
        return UNKNOWN
    return isinstance(value, types[kind.id])


def spread(elements: Sequence[ast.expr], value: Callable[[ast.expr], object]) -> object:
    """The values of a tuple's elements, those of a starred one in its place; UNKNOWN where it is not seen how
    many a starred one has. The leading part of a shape, `*a.shape[:2]`, has as many as it says.
    """
    found: list[object] = []
    for element in elements:
        if not isinstance(element, ast.Starred):
            found.append(value(element))
            continue
        inner = value(element.value)
        count = _leading_of_shape(element.value)
        if not isinstance(inner, tuple) and count is None:
            return UNKNOWN
        found.extend(inner if isinstance(inner, tuple) else [UNKNOWN] * (count or 0))
    return tuple(found)


def _leading_of_shape(node: ast.expr) -> int | None:
    """N of `a.shape[:N]`, None for anything else."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(attr="shape"),
            slice=ast.Slice(lower=None, upper=ast.Constant(value=int(count)), step=None),
        ):
            return min(count, _LONGEST) if count > 0 else None
    return None
