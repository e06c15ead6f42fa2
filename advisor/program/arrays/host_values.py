"""What is known of a value of host code, and what two values have in common."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from advisor.program.syntax.module import ModuleSyntax

# Row-major, column-major, neither for certain; None where nothing is seen that speaks against row-major.
Order: TypeAlias = Literal["C", "F", "unknown"] | None
# Where the elements lie: pageable, page-locked, mapped or managed memory of the host, or the device's memory.
Place: TypeAlias = Literal["host", "pinned", "mapped", "managed", "device"]


@dataclass(frozen=True)
class Unknown:
    """Any value."""


@dataclass(frozen=True)
class Nothing:
    """No value: what a loop has before its first iteration, or code that is never reached."""


@dataclass(frozen=True)
class Other:
    """A value that is no NumPy array; `what` it is where that is known: a random generator."""

    what: str = ""


@dataclass(frozen=True)
class Dtype:
    """The type of elements, by its Numba name."""

    name: str


@dataclass(frozen=True)
class Number:
    """A number from `low` to `high`, None where that is not known.

    `python` tells the numbers of Python from NumPy's scalars: they leave the dtype of an array as it is.
    """

    dtype: str | None = None
    low: int | float | None = None
    high: int | float | None = None
    python: bool = True

    @property
    def value(self) -> int | float | None:
        """The number where it is only one."""
        return self.low if self.low == self.high else None


@dataclass(frozen=True)
class Items:
    """A tuple by its items; a list, whose items may change, is not `fixed`."""

    items: tuple[Value, ...]
    fixed: bool = True


@dataclass(frozen=True)
class Fields:
    """A dictionary by its keys."""

    items: tuple[tuple[str | int, Value], ...]

    def at(self, key: object) -> Value:
        """The value of a key, UNKNOWN where there is none."""
        return next((value for own, value in self.items if type(own) is type(key) and own == key), UNKNOWN)


@dataclass(frozen=True)
class Instance:
    """An object of a class of the workspace."""

    owner: ast.ClassDef
    module: ModuleSyntax = field(compare=False)


@dataclass(frozen=True)
class Array:
    """An array; None for what is not known of it.

    `sizes` are those of its dimensions. `empty` tells an array that has no elements unless a setting changes
    that, `element` what may be an array or a single element of one.
    """

    library: str | None = None
    place: Place | None = None
    dtype: str | None = None
    sizes: tuple[Number, ...] | None = None
    order: Order = None
    empty: bool = False
    element: bool = False

    @property
    def dims(self) -> int | None:
        """The number of dimensions."""
        return None if self.sizes is None or self.element else len(self.sizes)

    @property
    def shape(self) -> tuple[int | None, ...] | None:
        """The sizes of the dimensions where each has only one."""
        if self.sizes is None or self.element:
            return None
        return tuple(None if one.value is None else int(one.value) for one in self.sizes)

    @property
    def largest(self) -> tuple[int | None, ...] | None:
        """The largest size of each dimension."""
        if self.sizes is None or self.element:
            return None
        return tuple(None if one.high is None else int(one.high) for one in self.sizes)

    @property
    def copied_by_launch(self) -> bool | None:
        """Whether it is a NumPy array in memory of the host alone, which a launch copies there and back."""
        if self.library == "numpy" and self.place in ("host", "pinned"):
            return None if self.element else True
        elsewhere = self.place in ("device", "mapped", "managed")
        return False if elsewhere or self.library not in (None, "numpy") else None


Value: TypeAlias = Unknown | Nothing | Other | Dtype | Number | Items | Fields | Instance | Array

UNKNOWN, NOTHING, OTHER = Unknown(), Nothing(), Other()
# A value of which not even row-major order may be assumed.
OF_ANY_ORDER = Array(order="unknown", element=True)
SIZE = Number("int64")
SHAPE = Array("python", None, "int64", (SIZE,), "C")


def joined(values: Iterable[Value]) -> Value:
    """What several values that one expression may have share."""
    found: Value = NOTHING
    for one in values:
        found = join(found, one)
    return found


def join(first: Value, second: Value) -> Value:
    """What two values share."""
    if first == second or isinstance(second, Nothing):
        return first
    if isinstance(first, Nothing):
        return second
    if isinstance(first, Array) and isinstance(second, Array):
        return _joined_arrays(first, second)
    if isinstance(first, Number) and isinstance(second, Number):
        return joined_numbers(first, second)
    if isinstance(first, Items) and isinstance(second, Items) and len(first.items) == len(second.items):
        parts = zip(first.items, second.items, strict=True)
        return Items(tuple(join(a, b) for a, b in parts), first.fixed and second.fixed)
    if isinstance(first, Fields) and isinstance(second, Fields):
        keys = [key for key, _ in first.items if any(key == other for other, _ in second.items)]
        return Fields(tuple((key, join(first.at(key), second.at(key))) for key in keys))
    for array, other in ((first, second), (second, first)):
        if isinstance(array, Array) and array.element and isinstance(other, Number):
            return replace(array, dtype=_same(array.dtype, other.dtype))
    if copied_by_launch(first) is copied_by_launch(second) is False:
        return OTHER
    return unlike(first, second)


def unlike(*values: Value) -> Value:
    """Any value, in any order where one of several speaks against row-major."""
    spoken = any(isinstance(one, Array) and one.order in ("F", "unknown") for one in values)
    return OF_ANY_ORDER if spoken else UNKNOWN


def copied_by_launch(value: Value) -> bool | None:
    """Whether a value is a NumPy array that a launch copies, None where that is not known."""
    if isinstance(value, Array):
        return value.copied_by_launch
    return False if isinstance(value, Number | Dtype | Other | Instance) else None


def agreed(orders: Iterable[Order]) -> Order:
    """The order of an array that has one of several."""
    found = set(orders)
    if len(found) == 1:
        return found.pop()
    return "unknown" if found & {"F", "unknown"} else None


def joined_numbers(first: Number, second: Number) -> Number:
    """The range that holds two numbers."""
    lows, highs = {first.low, second.low}, {first.high, second.high}
    return Number(
        _same(first.dtype, second.dtype),
        None if None in lows else min(one for one in lows if one is not None),
        None if None in highs else max(one for one in highs if one is not None),
        first.python and second.python,
    )


def total(numbers: Sequence[Number]) -> Number:
    """The sum of sizes."""
    lows, highs = [one.low for one in numbers], [one.high for one in numbers]
    least = None if None in lows else sum(one for one in lows if one is not None)
    return Number("int64", least, None if None in highs else sum(one for one in highs if one is not None))


def product(numbers: Sequence[Number]) -> Number:
    """The product of sizes."""
    lows, highs = [one.low for one in numbers], [one.high for one in numbers]
    least = None if None in lows else math.prod(one for one in lows if one is not None)
    most = None if None in highs else math.prod(one for one in highs if one is not None)
    return Number("int64", least, most)


def as_parameter(value: Value) -> Value:
    """What a value that some calls give a parameter says of those that others may give.

    A function is written for elements, dimensions and an order, or for objects of a class; sizes and places
    are its callers' choice.
    """
    if isinstance(value, Number):
        return replace(value, low=None, high=None)
    if not isinstance(value, Array):
        return value if isinstance(value, Dtype | Instance) else UNKNOWN
    sizes = None if value.sizes is None else (SIZE,) * len(value.sizes)
    return Array(dtype=value.dtype, sizes=sizes, order=value.order, element=value.element)


def _joined_arrays(first: Array, second: Array) -> Array:
    sizes = None
    if first.sizes is not None and second.sizes is not None and len(first.sizes) == len(second.sizes):
        sizes = tuple(joined_numbers(a, b) for a, b in zip(first.sizes, second.sizes, strict=True))
    element = first.element or second.element
    library = _same(first.library, second.library)
    if not element and first.copied_by_launch is second.copied_by_launch is False:
        library = library or "other"
    place = first.place if first.place == second.place else None
    order, dtype = agreed((first.order, second.order)), _same(first.dtype, second.dtype)
    return Array(library, place, dtype, sizes, order, first.empty and second.empty, element)


def _same(first: str | None, second: str | None) -> str | None:
    return first if first == second else None
