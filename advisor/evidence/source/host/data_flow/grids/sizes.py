"""Sizes as host code computes them from others that it does not fix: any numbers can be put in for these."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from advisor.program.syntax.operators import ARITHMETIC
from advisor.program.values.constant_folding import binary

Number: TypeAlias = "int | float"

_MOST = 2**63
# A power that would take hours is UNKNOWN.
_BOUNDED = {kind: partial(binary, kind()) for kind in ARITHMETIC}


@dataclass(frozen=True)
class Known:
    """A number of the source."""

    value: Number


@dataclass(frozen=True)
class Leaf:
    """A size that the source names and does not fix; `array` tells the array that it is a size of, `given`
    that a function is handed it from outside.
    """

    key: Hashable
    written: str = field(compare=False)
    array: Hashable = None
    given: bool = False


@dataclass(frozen=True)
class Computed:
    """What a function gives for sizes."""

    function: Callable[..., object]
    parts: tuple[Size, ...]


Size: TypeAlias = "Known | Leaf | Computed"


@dataclass(frozen=True)
class HostArray:
    """An array of host code; its `shape` where the source says what it is made of. `of` is the number or the
    tuple that it was made for where that is not told apart, and `axes` how many it has.
    """

    key: Hashable
    written: str
    shape: tuple[Size | None, ...] | None = None
    axes: int | None = None
    of: Leaf | None = None
    given: bool = False

    def extent(self, axis: int) -> Size | None:
        """The size along an axis, counted from the last one where it is negative."""
        if self.shape is not None:
            return self.shape[axis] if -len(self.shape) <= axis < len(self.shape) else None
        if axis < 0 and self.axes is not None:
            axis += self.axes
        if self.of is not None and (self.axes == 1 or self.axes is None) and axis == 0:
            return self.of
        if self.of is not None:
            return part_of(self.of, axis)
        return Leaf((self.key, axis), f"{self.written}.shape[{axis}]", self.key, self.given)

    @property
    def elements(self) -> Size | None:
        """The number of elements."""
        axes = self.axes if self.shape is None else len(self.shape)
        if axes is None and self.of is not None:
            return self.of
        if axes is None:
            return Leaf((self.key, "size"), f"{self.written}.size", self.key, self.given)
        sizes = [self.extent(axis) for axis in range(axes)]
        known = [one for one in sizes if one is not None]
        if len(known) < len(sizes) or not known:
            return None
        return known[0] if len(known) == 1 else Computed(_product, tuple(known))


def part_of(whole: Leaf, place: int) -> Leaf:
    """An item of a tuple of sizes of which only the name is known."""
    return Leaf((whole.key, "part", place), f"{whole.written}[{place}]", whole.array, whole.given)


def _product(*factors: Number) -> Number:
    return math.prod(factors)


def computed(operation: ast.operator, left: Size, right: Size) -> Size | None:
    """The size that an operation of two sizes gives."""
    function = _BOUNDED.get(type(operation))
    return None if function is None else folded(function, left, right)


def folded(function: Callable[..., object], *parts: Size) -> Size | None:
    """What a function gives for sizes, a number where all of them are."""
    made = Computed(function, parts)
    if not all(isinstance(one, Known) for one in parts):
        return made
    value = value_of(made, {})
    return None if value is None else Known(value)


def leaves(size: Size) -> frozenset[Leaf]:
    """The sizes that one is computed from."""
    return frozenset(in_order(size))


def in_order(size: Size) -> Iterator[Leaf]:
    """The same as they are written, some perhaps several times."""
    if isinstance(size, Leaf):
        yield size
    elif isinstance(size, Computed):
        for one in size.parts:
            yield from in_order(one)


def written(size: Size) -> str:
    """The sizes that one is computed from, as host code writes them, or the number that it is."""
    names = sorted({one.written for one in leaves(size)})
    return ", ".join(names) if names else str(value_of(size, {}))


def value_of(size: Size, given: Mapping[Leaf, int]) -> Number | None:
    """The number that a size is for given numbers; None where it has none."""
    if isinstance(size, Known):
        return size.value
    if isinstance(size, Leaf):
        return given.get(size)
    parts = [value_of(one, given) for one in size.parts]
    if None in parts:
        return None
    try:
        found = size.function(*parts)
    except (ArithmeticError, ValueError, TypeError):
        return None
    # What no 64-bit integer holds is no size, as where one is shifted by another.
    return found if isinstance(found, int | float) and abs(found) < _MOST else None


def whole(size: Size | None, given: Mapping[Leaf, int]) -> int | None:
    """The number of threads or blocks that a size is for given numbers, None where it is none above zero."""
    value = None if size is None else value_of(size, given)
    if value is None or abs(value) >= _MOST or not math.isfinite(value) or value != int(value) or value <= 0:
        return None
    return int(value)
