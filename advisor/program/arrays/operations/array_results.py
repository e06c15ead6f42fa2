"""The array that a function of NumPy, CuPy or Numba, or a method of an array, makes of its arguments."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from advisor.program.arrays.array_parts import ValueOf, transposed
from advisor.program.arrays.host_values import (
    NOTHING,
    OTHER,
    SIZE,
    UNKNOWN,
    Array,
    Dtype,
    Items,
    Number,
    Order,
    Other,
    Place,
    Value,
    copied_by_launch,
    total,
)
from advisor.program.arrays.operations.array_arithmetic import promoted
from advisor.program.arrays.operations.array_functions import DTYPES, OF_PILLOW, ArrayFunction, array_of_image
from advisor.program.syntax.calls import called_name, keyword_value
from advisor.program.values.constant_folding import trip_count

_ONE = Number("int64", 1, 1)
_FIRST_NAMES = ("a", "object", "obj", "arr", "ary", "prototype", "x")
_OF_ARRAY = frozenset({"array", "flat", "view", "diagonal"})
# Arguments of random functions that are no parameters of the distribution.
_NO_PARAMETERS = frozenset({"size", "dtype", "endpoint", "replace", "axis", "shuffle", "out"})


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call, and what is known of their values.

    `constant` is the constant that an expression stands for, `is_zero` whether it is one that is 0 unless a
    setting changes it.
    """

    call: ast.Call
    value_of: ValueOf
    constant: Callable[[ast.expr], object]
    is_zero: Callable[[ast.expr], bool]

    @property
    def unpacked(self) -> bool:
        """Whether there are more arguments than are written."""
        starred = any(isinstance(one, ast.Starred) for one in self.call.args)
        return starred or any(one.arg is None for one in self.call.keywords)

    def node(self, at: int | None, *names: str) -> ast.expr | None:
        """The argument with a position or one of several names, None where it is left out or None."""
        given = next((one.value for one in self.call.keywords if one.arg in names), None)
        if given is None and at is not None and at < len(self.call.args):
            given = self.call.args[at]
        return None if isinstance(given, ast.Constant) and given.value is None else given

    def dtype(self, node: ast.expr) -> str | None:
        """The Numba name of a dtype, None where it is not one that is known."""
        value = self.value_of(node)
        if isinstance(value, Dtype):
            return value.name
        text = self.constant(node)
        return DTYPES.get(text.lstrip("<=|")) if isinstance(text, str) else None

    def size(self, node: ast.expr) -> Number:
        """The size that an expression gives."""
        value = self.value_of(node)
        if isinstance(value, Number) and type(value.value) is int:
            return Number("int64", value.low, value.high)
        number = self.constant(node)
        return Number("int64", number, number) if type(number) is int else SIZE

    def sizes(self, node: ast.expr | None) -> tuple[Number, ...] | None:
        """The sizes that a shape gives, None where not even the number of dimensions is known."""
        if node is None:
            return None
        if isinstance(node, ast.Tuple | ast.List) and not any(isinstance(e, ast.Starred) for e in node.elts):
            return tuple(self.size(one) for one in node.elts)
        value = self.value_of(node)
        if isinstance(value, Items) and value.fixed and all(isinstance(one, Number) for one in value.items):
            found = [one if isinstance(one, Number) else SIZE for one in value.items]
            if all(one.value is not None for one in found):
                return tuple(Number("int64", one.low, one.high) for one in found)
        number = self.constant(node)
        if type(number) is int:
            return (Number("int64", number, number),)
        if isinstance(number, tuple):
            return tuple(Number("int64", n, n) if type(n) is int else SIZE for n in number)
        if isinstance(value, Items) and value.fixed:
            return tuple(SIZE for _ in value.items)
        if isinstance(value, Number) and (value.dtype or "").startswith(("int", "uint")):
            return (self.size(node),)
        return None


def made(
    function: ArrayFunction,
    given: Arguments,
    library: str | None,
    place: Place | None,
    receiver: Array | None = None,
) -> Value:
    """What a function, or the method of a receiver, makes of its arguments."""
    return _Result(function, given, library, place, receiver).value()


def reshaped(array: Array, sizes: tuple[Number, ...] | None, order: Order) -> Array:
    """An array in another shape; a size of -1, or an unknown one, follows from the number of elements."""
    if sizes is not None:
        whole = None if array.element else _elements(array.sizes)
        known = [one for one in sizes if one.value not in (-1, None)]
        rest = _elements(known)
        clear = whole is not None and rest and len(known) == len(sizes) - 1
        left = _exact(whole // rest) if clear and whole is not None and rest else SIZE
        sizes = tuple(left if one.value in (-1, None) else one for one in sizes)
    flat, line = sizes is not None and len(sizes) == 1, array.dims == 1
    if flat and array.order in ("C", "F"):
        order = "C"
    elif order == "F":
        order = "F" if array.order == "F" or (array.order == "C" and line) else "unknown"
    else:
        # One in column-major order stays as it lies where its shape is the same, else it is copied.
        order = None if array.order == "F" else array.order
    return replace(array, sizes=sizes, order=order, element=array.element and not sizes)


def _elements(sizes: Sequence[Number] | None) -> int | None:
    """How many elements there are, None where a size is not known."""
    values = [None] if sizes is None else [one.value for one in sizes]
    return None if None in values else int(math.prod(one for one in values if one is not None))


def _exact(size: float) -> Number:
    return Number("int64", int(size), int(size))


@dataclass(frozen=True)
class _Result:
    function: ArrayFunction
    given: Arguments
    library: str | None
    place: Place | None
    receiver: Array | None

    def value(self) -> Value:
        """The array, or what else the call gives."""
        if self.given.unpacked:
            return Array(self.library, self.place)
        if self.function.sizes in _OF_ARRAY and self._source() == NOTHING:
            return NOTHING
        method = getattr(self, f"_{self.function.sizes}", None)
        return method() if method else self._new(None, self._dtype(None), None)

    def _new(
        self, sizes: tuple[Number, ...] | None, dtype: str | None, order: Order, empty: bool = False
    ) -> Array:
        return Array(self.library, self.place, dtype, sizes, order, empty)

    def _dtype(self, otherwise: str | None) -> str | None:
        node = self.given.node(self.function.dtype_at, "dtype")
        if node is not None and (self.function.dtype_at is not None or self._names("dtype")):
            return self.given.dtype(node)
        return otherwise or self.function.dtype

    def _names(self, name: str) -> bool:
        return any(one.arg == name for one in self.given.call.keywords)

    def _order(self, array: Order = None) -> Order:
        if self._names("strides"):
            return "unknown"
        node = None
        if self.function.order_at is not None or self._names("order"):
            node = self.given.node(self.function.order_at, "order")
        if node is None:
            return array if self.function.order == "K" else self.function.order
        stated = self.given.constant(node)
        if stated in ("A", "K"):
            return array
        return "C" if stated == "C" else "F" if stated == "F" else "unknown"

    def _shape(self) -> Value:
        node = self.given.node(0, "shape")
        sizes = self.given.sizes(node)
        fill = self.given.node(1, "fill_value") if self.function.dtype is None else None
        filled = self.given.value_of(fill) if fill is not None else UNKNOWN
        dtype = self._dtype(filled.dtype if isinstance(filled, Number) else None)
        empty = isinstance(node, ast.Tuple) and any(self.given.is_zero(one) for one in node.elts)
        order = self._order()
        return self._new(sizes, dtype, "C" if order == "F" and sizes and len(sizes) == 1 else order, empty)

    def _size(self) -> Value:
        node = self.given.node(self.function.sizes_at, "size")
        dtype = self._dtype(None)
        if node is not None:
            return self._new(self.given.sizes(node), dtype, "C")
        call = self.given.call
        parameters = [*call.args, *(one.value for one in call.keywords if one.arg not in _NO_PARAMETERS)]
        drawn_with = [self.given.value_of(one) for one in parameters]
        if any(copied_by_launch(one) for one in drawn_with):
            # `choice` draws one of the elements.
            return self._new(None, dtype, None) if self.function.dtype else UNKNOWN
        numbers = all(isinstance(one, Number) for one in drawn_with)
        return Number(dtype, python=False) if numbers else UNKNOWN

    def _arguments(self) -> Value:
        sizes = tuple(self.given.size(one) for one in self.given.call.args)
        return self._new(sizes, self.function.dtype, "C") if sizes else Number(self.function.dtype)

    def _line(self) -> Value:
        return self._new((SIZE,), self._dtype(None), "C")

    def _square(self) -> Value:
        rows = self.given.node(0, "N", "n")
        columns = self.given.node(1, "M") if self.function.order_at is not None else None
        sizes = [self.given.size(one) for one in (rows, columns or rows) if one is not None]
        return self._new(tuple(sizes) if len(sizes) == 2 else None, self._dtype(None), self._order())

    def _arange(self) -> Value:
        arguments = self.given.call.args
        values = [self.given.value_of(one) for one in arguments]
        numbers = [one.dtype for one in values if isinstance(one, Number) and one.python]
        clear = len(numbers) == len(values) and {*numbers} <= {"int64", "float64"}
        dtype = self._dtype(promoted(numbers) if clear else None)
        bounds = [self.given.constant(one) for one in arguments]
        if len(arguments) == 1:
            size = self.given.size(arguments[0])
            sizes = (size if size.low is None or size.low >= 0 else SIZE,)
        else:
            count = trip_count(bounds)
            sizes = (SIZE if count is None else _exact(count),)
        return self._new(sizes, dtype, "C")

    def _linspace(self) -> Value:
        if self._names("retstep"):
            return UNKNOWN
        node = self.given.node(2, "num")
        ends = [self.given.value_of(one) for one in self.given.call.args[:2]]
        flat = len(ends) == 2 and all(isinstance(one, Number) for one in ends)
        size = _exact(50) if node is None else self.given.size(node)
        return self._new((size,) if flat else None, self._dtype("float64"), "C")

    def _source(self) -> Value:
        """The array at the first place, or the one that a sequence of numbers is made into."""
        if self.receiver is not None:
            return self.receiver
        node = self.given.node(0, *_FIRST_NAMES)
        value = self.given.value_of(node) if node is not None else UNKNOWN
        if isinstance(value, Other) and value.what.startswith(OF_PILLOW):
            return array_of_image(value)
        return _listed(value) if isinstance(value, Items | Number) else value

    def _as_source(self, array: Value, sizes: tuple[Number, ...] | None, order: Order) -> Array:
        """An array with the elements of another one."""
        known = array if isinstance(array, Array) else Array()
        found = self._new(sizes, self._dtype(known.dtype), order, known.empty)
        # What is made of a single element has no dimensions, so that arithmetic makes numbers of it.
        return replace(found, element=known.element and (known.library is not None or bool(self.receiver)))

    def _array(self) -> Value:
        array = self._source()
        known = array if isinstance(array, Array) else Array()
        sizes = None if known.element else known.sizes
        if self._names("shape"):
            sizes = self.given.sizes(self.given.node(None, "shape"))
        if self._names("ndmin"):
            sizes = None
        if sizes == () and self.function.order != "K" and self.function.order_at is None:
            # `ascontiguousarray` and `asfortranarray` give at least one dimension.
            sizes = (_exact(1),)
        order = self._order(known.order)
        found = self._as_source(array, sizes, "C" if order == "F" and sizes and len(sizes) < 2 else order)
        if self.function.of_argument and copied_by_launch(array) is False and known.library != "python":
            # Libraries make arrays of their own kind of theirs.
            return replace(found, library=array.library, place=array.place) if array == known else OTHER
        return found

    def _flat(self) -> Value:
        array = self._source()
        known = array if isinstance(array, Array) else Array()
        elements = None if known.element else _elements(known.sizes)
        size = SIZE if elements is None else _exact(elements)
        return replace(self._as_source(array, (size,), "C"), element=False)

    def _view(self) -> Value:
        array = self._source()
        if not isinstance(array, Array) or (not self.given.call.args and not self.given.call.keywords):
            return array
        dtype = self._dtype(None)
        return replace(array, dtype=dtype, sizes=array.sizes and (*array.sizes[:-1], SIZE))

    def _diagonal(self) -> Value:
        array, node = self._source(), self.given.node(1, "k")
        known = array if isinstance(array, Array) and not array.element else Array()
        offset = 0 if node is None else self.given.constant(node)
        if known.sizes is None or len(known.sizes) != 1:
            sizes = (SIZE,) if known.sizes is not None else None
            return self._new(sizes, known.dtype, "unknown")
        line = known.sizes[0].value
        clear = line is not None and type(offset) is int
        size = _exact(line + abs(offset)) if clear and line is not None and type(offset) is int else SIZE
        return self._new((size, size), known.dtype, "C")

    def _joined(self) -> Value:
        value = self._source_items()
        # Numbers among them, which an axis of None allows, leave the type to the arrays.
        every = all(isinstance(one, Array) and not one.element for one in value)
        dtype = self._dtype(promoted([getattr(one, "dtype", None) for one in value]) if every else None)
        return self._new(self._joined_sizes(value), dtype, None)

    def _joined_sizes(self, value: Sequence[Value]) -> tuple[Number, ...] | None:
        """The sizes of arrays that are set side by side, None where those of one are not known."""
        name = called_name(self.given.call)
        known = [one.sizes for one in value if isinstance(one, Array) and not one.element]
        shapes = [one for one in known if one]
        if len(shapes) < len(value) or not shapes:
            return None
        node = self.given.node(1, "axis")
        axis: object = 0 if node is None else self.given.constant(node)
        if node is None and (keyword_value(self.given.call, "axis") or len(self.given.call.args) > 1):
            # Without an axis they are joined as one line each.
            return None
        if name == "column_stack":
            axis, shapes = 1, [one if len(one) > 1 else (*one, _ONE) for one in shapes]
        elif name == "vstack":
            axis, shapes = 0, [one if len(one) > 1 else (_ONE, *one) for one in shapes]
        elif name == "hstack":
            axis = min(1, len(shapes[0]) - 1)
        elif name == "stack" and type(axis) is int:
            axis = axis if axis >= 0 else axis + len(shapes[0]) + 1
            shapes = [(*one[:axis], _ONE, *one[axis:]) for one in shapes]
        dims = len(shapes[0])
        if type(axis) is not int or not -dims <= axis < dims or any(len(one) != dims for one in shapes):
            return None
        beside = [list(one) for one in zip(*shapes, strict=True)]
        return tuple(
            total(sizes) if place == axis % dims else next((one for one in sizes if one.value), sizes[0])
            for place, sizes in enumerate(beside)
        )

    def _grid(self) -> Value:
        names = self.given.call.args
        values = [self.given.value_of(one) for one in names]
        dtypes = [one.dtype if isinstance(one, Array) else None for one in values]
        lines = [one.sizes if isinstance(one, Array) and not one.element else None for one in values]
        sizes = tuple(one[0] if one and len(one) == 1 else SIZE for one in lines)
        if not self.given.call.keywords:
            # Without `indexing="ij"` the first of them runs along the second dimension.
            sizes = (*sizes[1::-1], *sizes[2:])
        elif any(one.arg != "indexing" or not _is_text(one.value, "ij") for one in self.given.call.keywords):
            sizes = (SIZE,) * len(names)
        return Items(tuple(self._new(sizes, dtype, None) for dtype in dtypes))

    def _source_items(self) -> tuple[Value, ...]:
        node = self.given.node(0, "arrays", "tup")
        value = self.given.value_of(node) if node is not None else UNKNOWN
        return value.items if isinstance(value, Items) else ()


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _listed(value: Value) -> Value:
    """The array of a sequence of numbers, or of sequences of them as long as each other."""
    if isinstance(value, Number):
        return Array("python", None, value.dtype, (), "C")
    if not isinstance(value, Items):
        return value
    inner = [_listed(one) for one in value.items]
    arrays = [one for one in inner if isinstance(one, Array) and one.dims is not None]
    if not arrays or len(arrays) < len(inner) or len({one.dims for one in arrays}) > 1:
        return Array("python", None, None, None, "C")
    shapes = {one.sizes for one in arrays}
    sizes = shapes.pop() if len(shapes) == 1 else (SIZE,) * (arrays[0].dims or 0)
    dtype = promoted([one.dtype for one in arrays])
    return Array("python", None, dtype, (_exact(len(arrays)), *(sizes or ())), "C")


def transposed_by(array: Value, given: Arguments, axes_at: int) -> Value:
    """What `transpose` makes of an array: with axes in any order, without in reverse."""
    if not isinstance(array, Array):
        return transposed(array)
    if len(given.call.args) > axes_at or given.call.keywords:
        sizes = array.sizes and (SIZE,) * len(array.sizes)
        return replace(array, sizes=sizes, order="unknown")
    return transposed(array)
