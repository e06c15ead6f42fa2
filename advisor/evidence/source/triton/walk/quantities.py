"""What is known of a value in a Triton kernel: its form, its shape, which lanes may be undefined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.affine_forms import Form

# An extent: a number, the name of a parameter, or None.
Extent: TypeAlias = int | str | None
Shape: TypeAlias = tuple[Extent, ...] | None
_NONE: frozenset[int] = frozenset()
AS_LOADED, MAGNITUDE, COMPUTED = "as loaded", "magnitude", "computed"


@dataclass(frozen=True)
class Undefined:
    """Lanes of a load without `other`: which load, and the axes (from the end, -1 the last) of its mask.

    `route` says what became of the loaded value: as loaded, a magnitude (zero where that is zero, never
    below), or something else that was computed from it.
    """

    load: int
    axes: frozenset[int]
    route: str = AS_LOADED


@dataclass(frozen=True)
class Quantity:
    """A number or a block of numbers.

    `form` is a polynomial over program ids, aranges, loop counters and parameters; `shape` is () for a
    number and None where it is not known; `axes` are those along which it varies, from the end; `pointer`
    is the parameter that an address starts from. `constant` tells that its value is known in compilation.
    Along the axes `zeroed` the lanes that a mask holds back are zero. `raised` is what was loaded and then
    converted to float32, with nothing else done to it.
    """

    form: Form
    shape: Shape = ()
    axes: frozenset[int] = _NONE
    undefined: frozenset[Undefined] = frozenset()
    pointer: str | None = None
    dtype: str | None = None
    loaded: bool = False
    constant: bool = False
    raised: bool = False
    compared: tuple[Form, ...] = ()
    value: int | None = None
    blocked: bool = False
    zeroed: frozenset[int] = _NONE

    @property
    def is_number(self) -> bool:
        """Whether it is a single number, the same for the whole program."""
        return self.shape == ()

    @property
    def is_block(self) -> bool:
        """Whether it is a block of more than one number for certain."""
        return bool(self.shape) and any(one != 1 for one in self.shape or ())

    def defined(self) -> Quantity:
        """The same with no undefined lanes."""
        return replace(self, undefined=frozenset())


@dataclass(frozen=True)
class Group:
    """Several values: a tuple or list."""

    items: tuple[Value, ...]


Value: TypeAlias = Quantity | Group


def routed(undefined: Iterable[Undefined], route: str) -> frozenset[Undefined]:
    """The undefined lanes of what was computed from them; a magnitude stays one."""
    return frozenset(one if one.route == MAGNITUDE else replace(one, route=route) for one in undefined)


def broadcast(shapes: Iterable[Shape]) -> Shape:
    """The shape of an operation on values of these shapes, None where one is not known."""
    result: tuple[Extent, ...] = ()
    for shape in shapes:
        if shape is None:
            return None
        longer, shorter = (shape, result) if len(shape) >= len(result) else (result, shape)
        padded = (1,) * (len(longer) - len(shorter)) + shorter
        result = tuple(
            a if b == 1 else b if a == 1 or a is None else a for a, b in zip(longer, padded, strict=True)
        )
    return result


def moved(axes: frozenset[int], by: dict[int, int | None]) -> frozenset[int]:
    """Axes at the places where they are now; those that map to None are gone."""
    found = {by.get(axis, axis) for axis in axes}
    return frozenset(axis for axis in found if axis is not None)


def rearranged(value: Quantity, shape: Shape, by: dict[int, int | None]) -> Quantity:
    """The value with its axes at other places."""
    undefined = frozenset(replace(one, axes=axes) for one in value.undefined if (axes := moved(one.axes, by)))
    axes, zeroed = moved(value.axes, by), moved(value.zeroed, by)
    return replace(value, shape=shape, axes=axes, zeroed=zeroed, undefined=undefined, value=None)
