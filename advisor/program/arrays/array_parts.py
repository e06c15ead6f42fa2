"""What brackets pick of an array, an element, a row, a slice, a field, and its attributes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from advisor.program.arrays.element_types import itemsize_of
from advisor.program.arrays.host_values import (
    NOTHING,
    OF_ANY_ORDER,
    OTHER,
    SHAPE,
    SIZE,
    UNKNOWN,
    Array,
    Dtype,
    Fields,
    Items,
    Number,
    Order,
    Other,
    Value,
    copied_by_launch,
    product,
)

ValueOf: TypeAlias = Callable[[ast.expr], Value]
# The whole number that an expression stands for, None where it is not known.
WholeNumber: TypeAlias = Callable[[ast.expr], int | None]


def part(base: Value, index: ast.expr, value_of: ValueOf, whole: WholeNumber) -> Value:
    """The value of `base[index]`."""
    if isinstance(base, Items):
        position = whole(index)
        inside = position is not None and -len(base.items) <= position < len(base.items)
        return base.items[position] if inside and position is not None else UNKNOWN
    if isinstance(base, Fields):
        return base.at(index.value) if isinstance(index, ast.Constant) else UNKNOWN
    if not isinstance(base, Array):
        return OTHER if isinstance(base, Other) else UNKNOWN
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(index, ast.Constant) and isinstance(index.value, str):
        # A field of records, or an item of a mapping.
        known = base.library is not None
        return replace(base, dtype=None, sizes=None, order=None, element=base.element or not known)
    kinds = [_kind(one, value_of) for one in parts]
    cut = "slice" in kinds or "several" in kinds
    if base.sizes is None or base.element or not {*kinds} <= {"one", "slice"} or len(parts) > len(base.sizes):
        order: Order = "unknown" if base.order in ("F", "unknown") else None
        return replace(base, sizes=None, order=order, empty=False, element=not cut)
    return _picked(base, parts, kinds, whole)


def item(base: Value) -> Value:
    """What a loop over a value gets in each iteration."""
    if isinstance(base, Array):
        if base.sizes is None or base.element:
            return replace(base, sizes=None, order=None, empty=False, element=True)
        if base.sizes:
            row = ast.Constant(value=0)
            return _picked(base, [row], ["one"], lambda _: None)
    return UNKNOWN


def transposed(array: Value) -> Value:
    """An array with its dimensions in reverse; of a number the number."""
    if not isinstance(array, Array):
        return array if isinstance(array, Number) else OF_ANY_ORDER
    flipped: Order = "F" if array.order == "C" else "C" if array.order == "F" else "unknown"
    if array.sizes is not None and len(array.sizes) < 2:
        return array
    return replace(array, sizes=array.sizes[::-1] if array.sizes else None, order=flipped)


def _kind(index: ast.expr, value_of: ValueOf) -> str:
    if isinstance(index, ast.Slice):
        return "slice"
    if isinstance(index, ast.Constant):
        return "one" if type(index.value) is int else "unknown"
    if isinstance(index, ast.Compare | ast.List):
        return "several"
    value = value_of(index)
    if isinstance(value, Number):
        return "one" if (value.dtype or "").startswith(("int", "uint")) else "unknown"
    return "several" if copied_by_launch(value) else "unknown"


def _picked(base: Array, parts: Sequence[ast.expr], kinds: Sequence[str], whole: WholeNumber) -> Value:
    """What whole numbers and slices pick of an array of known dimensions."""
    assert base.sizes is not None
    rest = len(base.sizes) - len(parts)
    indices = [*parts, *(ast.Slice() for _ in range(rest))]
    every = [*kinds, *("slice" for _ in range(rest))]
    sizes, complete, steps = [], [], []
    for index, kind, size in zip(indices, every, base.sizes, strict=True):
        if not isinstance(index, ast.Slice) or kind == "one":
            continue
        sizes.append(_length(index, size, whole))
        complete.append(index.lower is index.upper is index.step is None)
        steps.append(index.step is None)
    if not sizes:
        return Number(base.dtype, python=base.library == "python")
    order = _order(base.order, every, complete, steps)
    return replace(base, sizes=tuple(sizes), order=order, empty=base.empty and all(complete))


def _order(order: Order, kinds: Sequence[str], complete: Sequence[bool], steps: Sequence[bool]) -> Order:
    """The order of a part: what is cut must be the slowest of the dimensions that are left."""
    if order in (None, "unknown") or (all(complete) and "one" not in kinds):
        return order
    if order == "F":
        kinds, complete, steps = kinds[::-1], complete[::-1], steps[::-1]
    left = kinds.index("slice")
    together = "one" not in kinds[left:] and all(complete[1:]) and steps[0]
    if not together:
        return "unknown"
    return order if len(complete) > 1 else "C"


def _length(index: ast.Slice, size: Number, whole: WholeNumber) -> Number:
    if index.lower is index.upper is index.step is None:
        return size
    bounds = [None if one is None else whole(one) for one in (index.lower, index.upper, index.step)]
    unclear = any(
        one is not None and bound is None
        for one, bound in zip((index.lower, index.upper, index.step), bounds, strict=True)
    )
    if unclear or size.value is None or bounds[2] == 0:
        return SIZE
    length = len(range(*slice(*bounds).indices(int(size.value))))
    return Number("int64", length, length)


def attribute_of(value: Value, attribute: str) -> Value:
    """An attribute of an array; that of another value is not known."""
    if value == NOTHING:
        return NOTHING
    if attribute == "T":
        return transposed(value)
    if attribute == "shape":
        sizes = value.sizes if isinstance(value, Array) and not value.element else None
        return SHAPE if sizes is None else Items(sizes)
    if not isinstance(value, Array):
        return UNKNOWN
    if attribute == "dtype" and value.dtype:
        return Dtype(value.dtype)
    return _number_of(value, attribute) if attribute in ("size", "ndim", "nbytes", "itemsize") else UNKNOWN


def _number_of(array: Array, attribute: str) -> Number:
    """How many elements, dimensions or bytes an array has."""
    size = itemsize_of(array.dtype)
    bytes_each = SIZE if size is None else Number("int64", size, size)
    if attribute == "itemsize":
        return bytes_each
    if array.sizes is None or array.element:
        return SIZE
    if attribute == "ndim":
        return Number("int64", len(array.sizes), len(array.sizes))
    return product(array.sizes if attribute == "size" else (*array.sizes, bytes_each))
