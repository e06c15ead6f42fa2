"""The sizes of a launch that is made up: block, grid, the shapes of arrays and the values of scalars.

What the source says of a launch comes first, then what the kernel's text says of sizes that belong together,
then sizes of real use.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from advisor.evidence.simulated.simt.launch import Extent as Shape
from advisor.evidence.simulated.synthesis.arguments import slot_dtype
from advisor.evidence.simulated.synthesis.request import Request
from advisor.evidence.simulated.synthesis.size_choices import (
    UsualBlock,
    Variant,
    block_shapes,
    most_threads,
    size_choice,
    size_limits,
    variants,
)
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.program.index_relations.relations import (
    AxisUse,
    EqualSizes,
    Extent,
    IndexTerm,
    ScalarSize,
    Size,
    SumIndex,
    Unit,
)
from advisor.program.launches.block_shape import BlockShape, assumed_in_words

__all__ = ["LaunchSizes", "Variant", "sizes", "variants_of"]

# What a size is computed from: an axis of the launch, sizes that are equal, or a size alone.
_Source: TypeAlias = "int | EqualSizes | Size"
_WARP = 32
_MOST_HALVINGS = 64
# Rows of a multiple of these elements begin at sectors, or at few places within them; so many more let them
# begin anywhere.
_SECTOR_ELEMENTS, _ODD = 4, 3
# Sizes that are products of sizes that are products are not followed further.
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class LaunchSizes:
    """What a kernel is launched with; `scalars` has the value of every scalar slot, of complex ones the real
    part. `assumptions` are full sentences about what neither the source nor the kernel's text states.
    """

    block: Shape
    grid: Shape
    shapes: dict[str, tuple[int, ...]]
    scalars: dict[str, float]
    assumptions: tuple[str, ...] = ()


def variants_of(request: Request) -> tuple[Variant, ...]:
    """The variants of a kernel: that of another typing only where the request has one, those with data that
    are short along one of several axes only where there are several, that of repeated indices where elements
    of arrays are indices, those of usual blocks where any block is possible, and one more for each other
    block that the source states.
    """
    axes = min(max(request.relations.block_axes, request.relations.grid_axes, 1), 3)
    found = [
        one
        for one in variants()
        if one.code < len(request.codes)
        and (axes > 1 or len(one.short) != 1)
        and (not one.repeated or _has_indices(request))
        and (one.usual is None or _may_have_block(request, one.usual))
        and (one.usual is None or axes > 1 or one.sizes != "odd")
    ]
    odd = next(one for one in found if one.sizes == "odd")
    blocks = range(1, len(request.launch.other_blocks) + 1)
    return (*found, *(replace(odd, name="another block", pattern=number) for number in blocks))


def _has_indices(request: Request) -> bool:
    """Whether elements of arrays are indices of others, and no bounds of rows."""
    relations = request.relations
    arrays = {slot.name for slot in request.codes[0].slots if slot.kind != "scalar"}
    return bool(arrays & relations.index_of.keys() - relations.row_bounds - relations.zeroed)


def _may_have_block(request: Request, kind: UsualBlock) -> bool:
    """Whether a launch may have a usual block: where that of one is not known, and no tile in shared memory
    nor another launch tells it. An array of one axis is as long as the largest block: others may have less.
    """
    launch = request.launch
    if launch.block is not None and not launch.any_block:
        return False
    axes = min(max(request.relations.block_axes, 1), 3)
    tiles = (_block_of_tile(shape, axes) for shape in request.relations.shared_shapes)
    if axes > 1 and any(tiles):
        return False
    return block_shapes(kind)[axes - 1] not in (launch.block, *launch.other_blocks)


def sizes(request: Request, code: KernelCode, variant: Variant, shrink: int = 1) -> LaunchSizes:
    """The sizes of one variant; `shrink` divides the extents along which threads run, where a launch with all
    of them takes too long.
    """
    request = request.of_code(variant.code)
    block, assumption = _block(request, variant)
    sizing = _Sizing(request, code, variant, block, max(1, shrink))
    sizing.fit()
    assumptions = (assumption,) if assumption else ()
    return LaunchSizes(block, sizing.grid, sizing.shapes(), sizing.scalars(), assumptions)


def _block(request: Request, variant: Variant) -> tuple[Shape, str]:
    """The block, and what is said of it where no launch tells it.

    Where no array of the kernel suggests one, launches with odd sizes have another one.
    """
    axes = min(max(request.relations.block_axes, 1), 3)
    if variant.usual is not None:
        return block_shapes(variant.usual)[axes - 1], ""
    known = request.launch.other_blocks[variant.pattern - 1] if variant.pattern else request.launch.block
    if known is not None and 0 < math.prod(known) <= most_threads():
        return known, ""
    for shape in request.relations.shared_shapes:
        found = _block_of_tile(shape, axes)
        if found is not None:
            said = f"Blocks of {_written(found)} threads are assumed, those of an array in shared memory."
            return found, "" if variant.code else said
    kind: UsualBlock = "others" if variant.sizes == "odd" else "shapes"
    block = block_shapes("small" if variant.short else kind)[axes - 1]
    plain = kind == "shapes" and not variant.short
    return block, assumed_in_words([BlockShape(*block)]) if plain else ""


def _written(block: Shape) -> str:
    sides = [str(one) for one in block]
    while len(sides) > 1 and sides[-1] == "1":
        sides.pop()
    return " x ".join(sides)


def _block_of_tile(shape: Sequence[int | None], axes: int) -> Shape | None:
    """The block that has a thread for each element of an array in shared memory, one column of padding apart;
    None where that is no likely block. An array of fewer axes than the block says nothing of its shape.
    """
    known = [one for one in shape if one is not None]
    if len(known) != len(shape) or len(known) != axes:
        return None
    if known[-1] > _WARP // 2 and known[-1] % 2 == 1 and (known[-1] - 1) & (known[-1] - 2) == 0:
        known[-1] -= 1
    if min(known) < 1 or not _WARP <= math.prod(known) <= most_threads():
        return None
    x, y, z = [*reversed(known), 1, 1][:3]
    return x, y, z


class _Sizing:
    """Numbers for all sizes of a kernel, and what is halved of them to keep to the limit of memory."""

    def __init__(
        self, request: Request, code: KernelCode, variant: Variant, block: Shape, shrink: int
    ) -> None:
        self.request, self.relations, self.launch = request, request.relations, request.launch
        if variant.pattern or variant.usual is not None:
            self.launch = replace(self.launch, grid=None)  # it belongs to another block
        self.slots, self.variant, self.block, self.shrink = code.slots, variant, block, shrink
        self.choice, self.limits = size_choice(variant.sizes), size_limits()
        self.arrays = {one.name: one for one in self.slots if one.kind == "array"}
        self.axes = min(max(self.relations.block_axes, self.relations.grid_axes, 1), 3)
        self.equal = {size: one for one in self.relations.equal for size in one.sizes}
        self._sums_of: dict[Size, list[SumIndex]] = {}
        for one in self.relations.sums:
            self._sums_of.setdefault(one.size, []).append(one)
        self.known = dict(self._known())
        self.halvings: Counter[_Source] = Counter()
        self._numbers: dict[tuple[Size, int], int] = {}

    def _known(self) -> Iterable[tuple[Size, int]]:
        """What the source says of sizes."""
        for name, shape in self.launch.shapes.items():
            if name in self.arrays and len(shape) == self.arrays[name].ndim:
                for axis, extent in enumerate(shape):
                    if extent is not None and extent > 0:
                        yield Extent(name, axis), extent
        for name, value in self.launch.scalars.items():
            if float(value).is_integer():
                yield ScalarSize(name), int(value)

    def fit(self) -> None:
        """Halve what the largest array is made of until all arrays fit."""
        most = min(self.limits.array_bytes, self.request.limits.memory_bytes // 4)
        for _ in range(_MOST_HALVINGS):
            shapes = self.shapes()
            total = {name: math.prod(shape) * self._bytes[name] for name, shape in shapes.items()}
            if sum(total.values()) <= most:
                return
            largest = max(total, key=lambda name: total[name])
            axis = max(range(len(shapes[largest])), key=lambda one: shapes[largest][one], default=None)
            if axis is None:
                return
            source = self._largest_source(Extent(largest, axis))
            self.halvings[source] += 1
            self._numbers.clear()

    @cached_property
    def _bytes(self) -> dict[str, int]:
        return {name: slot_dtype(slot).itemsize for name, slot in self.arrays.items()}

    # -- what sizes come from ------------------------------------------------------------------------------
    def _source(self, size: Size) -> _Source:
        """What a size is computed from, products apart."""
        equal = self.equal.get(size)
        if equal is not None:
            return equal if equal.thread_axis is None else equal.thread_axis
        use = self._use(size)
        return max(use.unguarded, key=self._axis_extent) if use.unguarded and size not in self.known else size

    def _largest_source(self, size: Size) -> _Source:
        made = [one for one in self._sums(size) if self._sum(one) >= self.value(size)]
        for one in made:
            term = max(one.terms, key=self._term, default=IndexTerm())
            parts = [part for part in (*term.rows, *term.widths) if not isinstance(part, int)]
            if parts:
                return self._source(max(parts, key=self.value))
            if term.axis is not None:
                return term.axis
        return self._source(size)

    def _use(self, size: Size) -> AxisUse:
        return self.relations.axes.get(size, AxisUse()) if isinstance(size, Extent) else AxisUse()

    def _sums(self, size: Size) -> list[SumIndex]:
        """The sums below a size: those of all equal sizes that are no sums of these, and its own."""
        equal = self.equal.get(size)
        members = {size} if equal is None else {*equal.sizes}
        found = [one for member in sorted(members, key=repr) for one in self._sums_of.get(member, ())]
        return [
            one
            for one in found
            if not (
                mentioned := members & {part for term in one.terms for part in (*term.rows, *term.widths)}
            )
            or (one.size == size and size not in mentioned)
        ]

    # -- numbers -------------------------------------------------------------------------------------------
    def value(self, size: Size, depth: int = 0) -> int:
        """The number that a size is given; `depth` is how many other sizes ask for it."""
        key = size, depth
        if key not in self._numbers:
            self._numbers[key] = self._value(size, depth)
        return self._numbers[key]

    def _value(self, size: Size, depth: int) -> int:
        if size in self.known:
            return max(self._reduced(self.known[size], size), self._least(size))
        plain = self._plain(size, depth)
        made = [] if depth >= _DEEPEST else [self._whole(one, depth + 1) for one in self._sums(size)]
        plain += self._use(size).beyond if size in self.equal else 0
        if not made:
            return plain
        if size not in self.equal and not self._use(size).unguarded:
            return max(*made, self._use(size).constants)
        return max(plain, *made)

    def _plain(self, size: Size, depth: int) -> int:
        """The number of a size without products."""
        equal, use = self.equal.get(size), self._use(size)
        if equal is None:
            return self._alone(size, use, depth)
        if len(equal.sizes) == 1 and isinstance(size, Extent) and equal.thread_axis is None and equal.least:
            return max(
                equal.least,
                self._alone(size, use, depth)
                if use.scattered or use.unguarded
                else self._along_constants(size, use)
                if equal.least == use.constants
                else use.constants,
            )
        known = [self.known[one] for one in equal.sizes if one in self.known]
        base = self._reduced(max(known), size) if known else max(self._chosen(equal), self._unguarded(equal))
        return max(base, equal.least, use.constants)

    def _unguarded(self, equal: EqualSizes) -> int:
        """The threads that index one of equal sizes without a test."""
        axes = {axis for one in equal.sizes for axis in self._use(one).unguarded}
        return max((self._threads(axis) for axis in axes), default=0)

    def _chosen(self, equal: EqualSizes) -> int:
        """The number of equal sizes of which none is known."""
        if equal.thread_axis is None:
            return self._halved(self._trips, equal, self.limits.least_trips)
        return self._axis_extent(equal.thread_axis)

    def _alone(self, size: Size, use: AxisUse, depth: int) -> int:
        """The number of a size that belongs to no others."""
        if isinstance(size, ScalarSize):
            return self._index_in(self.relations.index_of.get(size.name, ()), depth)
        if use.unguarded:
            return max(use.constants, *(self._threads(axis) for axis in use.unguarded))
        if use.varied:
            rows = self._rows_between_bounds(size, depth)
            return max(use.constants, rows or self._of_any_array(size))
        return self._along_constants(size, use)

    def _along_constants(self, size: Extent, use: AxisUse) -> int:
        """The extent of an axis along which nothing runs. Where all that is used is the first element of each
        row, there may be others or not: the variants differ in that.
        """
        slot = self.arrays.get(size.array)
        if use.constants == 1 and slot is not None and slot.ndim > 1 and self.variant.sizes != "round":
            return self._halved(self._trips, size, self.limits.least_trips)
        return use.constants or self._halved(self._trips, size, self.limits.least_trips)

    def _index_in(self, extents: Sequence[Extent], depth: int) -> int:
        """An integer that bounds nothing; where it is an index, one within its extents."""
        if not extents or depth >= _DEEPEST:
            return self.choice.integer
        return min(self.choice.integer, *(max(0, self.value(one, depth + 1) - 1) for one in extents))

    def _rows_between_bounds(self, size: Extent, depth: int) -> int:
        """The elements of all rows where an array says where each begins; 0 for what no such array bounds."""
        if depth >= _DEEPEST:
            return 0
        bounds = [
            name
            for name, extents in self.relations.index_of.items()
            if name in self.relations.row_bounds and size in extents and name in self.arrays
        ]
        rows = [
            math.prod(self.value(Extent(name, axis), depth + 1) for axis in range(self.arrays[name].ndim))
            for name in bounds
        ]
        return self._halved(min(rows) * self.choice.row_length, size, self.limits.least_extent) if rows else 0

    def _of_any_array(self, size: Extent) -> int:
        """The extent of an array that is indexed by what is not understood: as large as those of real use."""
        slot = self.arrays.get(size.array)
        axes = min(max(slot.ndim if slot else 1, 1), 3)
        return self._halved(self._shrunk(self.choice.extents[axes - 1]), size, self.limits.least_extent)

    def _whole(self, one: SumIndex, depth: int) -> int:
        """The number that a sum makes of a size; half of it where data is short and a test bounds the sum."""
        number = self._sum(one, depth)
        return number // 2 + 1 if one.guards and self.variant.sizes == "short" else number

    def _sum(self, one: SumIndex, depth: int = 1) -> int:
        return max(1, 1 + one.offset + sum(self._term(term, depth, one.guards) for term in one.terms))

    def _term(self, term: IndexTerm, depth: int = 1, guards: bool = False) -> int:
        """The largest number that a term becomes; that of threads with work, where a test `guards`."""

        def number(part: Size | int) -> int:
            return part if isinstance(part, int) else max(1, self.value(part, depth))

        rows = min((number(part) for part in term.rows), default=0)
        if term.axis is not None:
            wanted = guards and term.unit == "grid"
            along = self._axis_extent(term.axis) if wanted else self._along(term.axis, term.unit)
            rows = min(rows or along, along)
        return max(0, (rows or self._trips) - 1) * math.prod(number(part) for part in term.widths)

    @property
    def _trips(self) -> int:
        """How often a loop runs whose count is not stated; cubic loops take a third of the time that `shrink`
        leaves, so that it counts less than along the axes of the launch.
        """
        least = min(self.limits.least_trips, self.choice.trips)
        return max(least, int(self.choice.trips / float(self.shrink) ** (2 / 3)))

    def _reduced(self, number: int, size: Size) -> int:
        """A number that the source states, as far as time and memory allow it."""
        shrunk = self._shrunk(number) if number > self.limits.least_extent else number
        return self._halved(shrunk, self._source(size), self.limits.least_extent)

    def _shrunk(self, number: int) -> int:
        return max(self.limits.least_extent, number // self.shrink)

    def _halved(self, number: int, source: _Source, least: int) -> int:
        halvings = self.halvings[source]
        return number if not halvings else max(min(number, least), number >> halvings)

    def _least(self, size: Size) -> int:
        equal = self.equal.get(size)
        return 0 if self.shrink == 1 or equal is None else min(equal.least, self.known[size])

    # -- the launch ----------------------------------------------------------------------------------------
    def _axis_extent(self, axis: int) -> int:
        """The elements along an axis of the launch."""
        known = [
            self.known[size]
            for one in self.relations.equal
            if one.thread_axis == axis
            for size in one.sizes
            if size in self.known
        ]
        stated = self._stated(axis)
        if known:
            wanted = max(known)
        elif axis in self.variant.short:
            return self.block[axis] // 2 + 1
        elif stated is not None:
            # An odd size leaves part of the last block idle, where it is one of several.
            odd = self.variant.sizes in ("odd", "small") and stated > 1
            wanted = stated * self.block[axis] - (self.block[axis] // 2 + 1 if odd else 0)
        else:
            wanted = self.choice.extents[self.axes - 1]
            if self.axes == 1 and any(slot.ndim > 1 for slot in self.arrays.values()):
                wanted = min(wanted, self.choice.rows)
        return self._halved(self._shrunk(max(1, wanted)), axis, self.limits.least_extent)

    @property
    def grid(self) -> Shape:
        """The blocks along each axis: those that the source states as far as there is work for them."""
        x, y, z = (self._blocks(axis) for axis in range(3))
        return x, y, z

    def _stated(self, axis: int) -> int | None:
        return None if self.launch.grid is None else self.launch.grid[axis]

    def _blocks(self, axis: int) -> int:
        stated = self._stated(axis)
        if stated is None and axis >= self.axes:
            return 1
        if stated is not None and not (self.shrink > 1 or self.halvings[axis]):
            return max(1, stated)
        blocks = -(-self._axis_extent(axis) // max(1, self.block[axis]))
        return max(1, blocks + self.variant.spare if stated is None else min(blocks, stated))

    def _along(self, axis: int, unit: Unit) -> int:
        """The threads of the grid, its blocks or the threads of a block along an axis."""
        if unit == "thread":
            return self.block[axis]
        return self._blocks(axis) if unit == "block" else self._threads(axis)

    def _threads(self, axis: int) -> int:
        return self._blocks(axis) * self.block[axis]

    # -- results -------------------------------------------------------------------------------------------
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array."""
        return {
            name: tuple(self._extent(slot, axis) for axis in range(slot.ndim))
            for name, slot in self.arrays.items()
        }

    def _extent(self, slot: ParameterSlot, axis: int) -> int:
        """The extent of an array along an axis; of odd sizes no row that threads run along begins where a
        sector does, however many threads there are.
        """
        size = Extent(slot.name, axis)
        number = max(1, self.value(size))
        inner = 0 if slot.layout == "F" else slot.ndim - 1
        if self.variant.sizes != "odd" or slot.ndim < 2 or axis != inner or self._is_known(size):
            return number
        return number + _ODD if number >= _WARP and number % _SECTOR_ELEMENTS == 0 else number

    def _is_known(self, size: Size) -> bool:
        equal = self.equal.get(size)
        return any(one in self.known for one in (size, *(equal.sizes if equal is not None else ())))

    def scalars(self) -> dict[str, float]:
        """The value of each scalar."""
        return {slot.name: self._scalar(slot) for slot in self.slots if slot.kind == "scalar"}

    def _scalar(self, slot: ParameterSlot) -> float:
        size = ScalarSize(slot.name)
        dtype = slot_dtype(slot)
        if dtype.kind == "b":
            return float(self.launch.scalars.get(slot.name, 1.0))
        if dtype.kind in "iu":
            stated = self.launch.scalars.get(slot.name)
            # What bounds nothing stays as it is stated, however little time there is.
            plain = stated is not None and (stated <= 0 or size not in self.equal)
            number = int(stated) if stated is not None and plain else self.value(size)
            return float(min(number, int(np.iinfo(dtype).max)))
        if slot.name in self.relations.scaled_floats:
            return float(self.launch.scalars.get(slot.name, 1.0))
        earlier = self._reals.index(slot.name)
        return float(
            self.launch.scalars.get(slot.name, self.choice.real * (1 + earlier * self.limits.real_step))
        )

    @cached_property
    def _reals(self) -> list[str]:
        """The scalars that are no integers, in their order."""
        return [one.name for one in self.slots if one.kind == "scalar" and slot_dtype(one).kind not in "biu"]
