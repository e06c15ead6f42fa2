"""What arithmetic makes of numbers and arrays: dtypes as NumPy promotes them, sizes as it broadcasts them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from advisor.program.arrays.host_values import (
    NOTHING,
    OTHER,
    SIZE,
    UNKNOWN,
    Array,
    Number,
    Order,
    Other,
    Value,
    agreed,
    copied_by_launch,
    unlike,
)
from advisor.program.arrays.operations.number_ranges import bounds_of_operation
from advisor.program.kernels.universal_functions import UniversalFunction

# The dtypes whose results are those of Python's own numbers; narrower ones wrap around or round.
_UNBROKEN = frozenset({"int64", "float64"})
_KINDS = {"boolean": 0, "int": 1, "uint": 1, "float": 2, "complex": 3}
_BITWISE = ast.BitAnd | ast.BitOr | ast.BitXor


def kind_of(dtype: str) -> int:
    """The kind of a dtype: 0 for booleans, 1 for whole numbers, 2 for floats, 3 for complex numbers."""
    return _KINDS[dtype.rstrip("0123456789")]


def promoted(dtypes: Sequence[str | None]) -> str | None:
    """The dtype that holds all of several, None where one of them is not known."""
    if not dtypes or None in dtypes:
        return None
    import numpy as np  # only where types differ, so that most files need not wait for it

    names = ["bool" if one == "boolean" else str(one) for one in dtypes]
    found = names[0] if len(set(names)) == 1 else str(np.result_type(*names))
    return "boolean" if found == "bool" else found


def combined(operation: ast.operator, left: Value, right: Value) -> Value:
    """The value of a binary operation."""
    if isinstance(left, Number) and isinstance(right, Number):
        dtype = _dtype(operation, left, right)
        low, high = bounds_of_operation(operation, left, right) if dtype in _UNBROKEN else (None, None)
        return Number(dtype, low, high, left.python and right.python)
    arrays = [one for one in (left, right) if isinstance(one, Array)]
    if not arrays:
        either = (left, right)
        return OTHER if any(isinstance(one, Other) for one in either) and UNKNOWN not in either else UNKNOWN
    sides: tuple[Value, Value] = (left, right)
    if isinstance(operation, ast.MatMult):
        several = any(one.dims is not None and one.dims > 1 for one in arrays)
        return replace(_home(sides), element=not several)
    if any(not isinstance(one, Array | Number) for one in sides):
        if copied_by_launch(left) or copied_by_launch(right):
            # NumPy takes no array of another library, so that one side tells.
            return replace(_home(sides), order=agreed(_orders(sides)), element=_may_be_one(arrays))
        return unlike(*sides)
    dtype = _dtype(operation, left, right) if isinstance(left, Array | Number) else None
    element = _may_be_one(arrays)
    sizes = broadcast([one.sizes for one in arrays])
    if sizes == () and not any(one.element for one in arrays):
        return Number(dtype, python=False)
    return replace(_home(sides), dtype=dtype, sizes=sizes, order=agreed(_orders(sides)), element=element)


def compared(left: Value, right: Value) -> Value:
    """The value of a comparison."""
    found = combined(ast.Add(), left, right)
    if isinstance(found, Array | Number) and not (isinstance(found, Array) and found.library is None):
        found = replace(found, low=None, high=None) if isinstance(found, Number) else found
        return replace(found, dtype="boolean")
    return UNKNOWN


def of_each_element(value: Value) -> Value:
    """What a function that computes a float from each element makes of a value."""
    if not isinstance(value, Array | Number):
        return UNKNOWN
    dtype = value.dtype
    if dtype is not None and kind_of(dtype) < 2:
        dtype = "float64" if dtype in ("int32", "int64", "uint32", "uint64") else None
    if isinstance(value, Number):
        return Number(dtype, python=False)
    return replace(value, dtype=dtype, place="host" if value.place == "pinned" else value.place)


def of_universal(function: UniversalFunction, given: Sequence[Value]) -> Value:
    """What a universal function makes of its arguments: an array where one of them has more axes than a call
    takes, else a number or what one call gives.
    """
    if NOTHING in given:
        return NOTHING
    taken = function.layout.arguments if function.layout is not None else (0,) * len(given)
    if len(given) == len(taken) + 1:
        # The array for the result is given as the last argument.
        return given[-1]
    dtype = function.result_type([getattr(one, "dtype", None) for one in given])
    base = given[0]
    for one in given[1:]:
        base = combined(ast.Add(), base, one)
    home = base if isinstance(base, Array) else Array()
    found = Array(home.library, home.place, dtype, None, "C" if home.order == "C" else None, element=True)
    if any(not isinstance(one, Array | Number) for one in given):
        return found
    arrays = [one for one in given if isinstance(one, Array)]
    if function.layout is None:
        sizes = broadcast([one.sizes for one in arrays]) if arrays else ()
        one_number = not sizes and sizes is not None and not any(one.element for one in arrays)
        if one_number and not function.on_gpu:
            return Number(dtype, python=False)
        return replace(found, sizes=sizes, element=not sizes or _may_be_one(arrays))
    dims = [one.dims if isinstance(one, Array) else 0 for one in given]
    loops = [None if dim is None else dim - axes for dim, axes in zip(dims, taken, strict=False)]
    if None in loops or len(loops) != len(taken) or not loops:
        return found
    axes = max(one for one in loops if one is not None) + function.layout.result
    return replace(found, sizes=(SIZE,) * axes, element=False) if axes > 0 else found


def broadcast(shapes: Sequence[tuple[Number, ...] | None]) -> tuple[Number, ...] | None:
    """The sizes of what arrays of several sizes are combined to, None where the dimensions are not known."""
    known = [one for one in shapes if one is not None]
    if len(known) < len(shapes):
        return None
    dims = max(map(len, known))
    rows = [(Number("int64", 1, 1),) * (dims - len(one)) + one for one in known]
    return tuple(_wider(sizes) for sizes in zip(*rows, strict=True))


def _wider(sizes: tuple[Number, ...]) -> Number:
    """The size that several sizes of one dimension give: each is 1 or that size."""
    several = {one for one in sizes if one.value != 1}
    if not several:
        return sizes[0]
    larger = [one for one in several if one.low is not None and one.low > 1]
    return larger[0] if larger else several.pop() if len(several) == 1 else SIZE


def _may_be_one(arrays: Sequence[Array]) -> bool:
    """Whether arithmetic on arrays may give a number: it does where none of them has a dimension."""
    return all(one.element or not one.sizes for one in arrays)


def _orders(sides: tuple[Value, Value]) -> list[Order]:
    return [one.order if isinstance(one, Array) else None for one in sides if not isinstance(one, Number)]


def _home(sides: tuple[Value, Value]) -> Array:
    """An array of the library, and in the memory, of the result of an operation."""
    if any(copied_by_launch(one) for one in sides):
        return Array("numpy", "host")
    arrays = [one for one in sides if isinstance(one, Array)]
    libraries, places = {one.library for one in arrays}, {one.place for one in arrays}
    clear = len(arrays) == 2 or any(isinstance(one, Number) for one in sides)
    if not clear or len(libraries) > 1 or len(places) > 1:
        return Array()
    return Array(arrays[0].library, arrays[0].place)


def _dtype(operation: ast.operator, left: Value, right: Value) -> str | None:
    """The dtype of the result, None where it depends on what is not known, or on NumPy's version."""
    assert isinstance(left, Array | Number)
    assert isinstance(right, Array | Number)
    if left.dtype is None or right.dtype is None:
        return None
    kinds = kind_of(left.dtype), kind_of(right.dtype)
    if isinstance(operation, ast.Pow) and (0 in kinds or (kinds == (1, 1) and not _is_whole(left, right))):
        return None
    dtype = _promoted_pair(left, right, kinds)
    if dtype is None:
        return None
    if isinstance(operation, ast.Div) and kind_of(dtype) < 2:
        return "float64"
    if dtype == "boolean" and not isinstance(operation, _BITWISE):
        return "int64" if isinstance(left, Number) and left.python else None
    return dtype


def _is_whole(base: Array | Number, exponent: Array | Number) -> bool:
    """Whether a power of whole numbers is one; negative exponents make Python's numbers floats."""
    known = isinstance(exponent, Number) and exponent.low is not None and exponent.low >= 0
    return isinstance(base, Array) or known


def _promoted_pair(left: Array | Number, right: Array | Number, kinds: tuple[int, int]) -> str | None:
    assert left.dtype is not None
    assert right.dtype is not None
    if left.dtype == right.dtype:
        return left.dtype
    for array, number, kind, other in ((left, right, *kinds), (right, left, *kinds[::-1])):
        if isinstance(array, Number) and not isinstance(number, Number):
            continue
        if isinstance(number, Number) and number.python and not (isinstance(array, Number) and array.python):
            if other <= kind:
                # A number of Python's does not change the width; small whole numbers differ among versions.
                small = kind == 1 and array.dtype not in ("int64", "uint64", "int32", "uint32")
                return None if small else array.dtype
            return "float64" if other == 2 else "int64" if other == 1 else None
    scalars = isinstance(left, Number) or isinstance(right, Number)
    if scalars and not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    return promoted([left.dtype, right.dtype])
